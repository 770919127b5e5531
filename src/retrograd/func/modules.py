"""Modules as functions of their parameters."""

from __future__ import annotations

from collections import Counter

__all__ = ["functional_call", "replace_all_batch_norm_modules_", "stack_module_state"]


def functional_call(module, parameter_and_buffer_dicts, args=None, kwargs=None, *, tie_weights=True,
                    strict=False):
    """module(*args, **kwargs) with these tensors in place of its parameters and buffers.

    parameter_and_buffer_dicts  {name: tensor}, or several such dicts with different names

    Raises RuntimeError (strict) for missing and for unknown names.

    >>> import retrograd as torch
    >>> layer = torch.nn.Linear(2, 1, bias=False)
    >>> torch.func.functional_call(layer, {"weight": torch.tensor([[1., 2.]])}, (torch.ones(1, 2),))
    tensor([[3.]])
    """
    from ..nn.utils import stateless
    dicts = parameter_and_buffer_dicts
    if not isinstance(dicts, (dict, list, tuple)):
        raise ValueError("Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of "
                         f"dicts, but got {type(dicts)}")
    if not isinstance(dicts, dict):
        names = [name for d in dicts for name in d]
        twice = [name for name, times in Counter(names).items() if times > 1]
        if twice:
            raise ValueError(f"{twice} appeared in multiple dictionaries; behavior of functional "
                             "call is ambiguous")
        dicts = {name: t for d in dicts for name, t in d.items()}
    return stateless._functional_call(module, dicts, args, kwargs, tie_weights=tie_weights,
                                      strict=strict)


def stack_module_state(models):
    """(parameters, buffers) of modules of one architecture, stacked along a new dimension 0.

    >>> import retrograd as torch
    >>> params, buffers = torch.func.stack_module_state([torch.nn.Linear(2, 3) for _ in range(4)])
    >>> params["weight"].shape
    torch.Size([4, 3, 2])
    """
    from .. import stack
    models = check_alike("stack_module_state", models)

    def stacked(of):
        names = [name for name, _ in of(models[0])]
        columns = {name: [dict(of(m))[name] for m in models] for name in names}
        out = {}
        for name, tensors in columns.items():
            if all(t.requires_grad for t in tensors):
                out[name] = stack([t.detach() for t in tensors]).requires_grad_()
            elif any(t.requires_grad for t in tensors):
                raise RuntimeError(f"Expected {name} from each model to have the same "
                                   ".requires_grad")
            else:
                out[name] = stack(tensors)
        return out
    return stacked(lambda m: m.named_parameters()), stacked(lambda m: m.named_buffers())


def check_alike(caller: str, models) -> list:
    """The models; RuntimeError unless there are some, of one class and in one mode."""
    models = list(models)
    if not models:
        raise RuntimeError(f"{caller}: Expected at least one model, got 0.")
    if len({m.training for m in models}) > 1:
        raise RuntimeError(f"{caller}: Expected all models to have the same training/eval mode.")
    if len({type(m) for m in models}) > 1:
        raise RuntimeError(f"{caller}: Expected all models to be of the same class.")
    return models


def replace_all_batch_norm_modules_(root):
    """Let every batch norm in `root` use the batch's statistics only; returns `root`.

    >>> import retrograd as torch
    >>> from retrograd.func import replace_all_batch_norm_modules_
    >>> net = torch.nn.Sequential(torch.nn.BatchNorm1d(2))
    >>> replace_all_batch_norm_modules_(net)[0].running_mean is None
    True
    """
    from ..nn.modules.batchnorm import _BatchNorm
    for module in root.modules():
        if isinstance(module, _BatchNorm):
            module.running_mean = module.running_var = module.num_batches_tracked = None
            module.track_running_stats = False
    return root
