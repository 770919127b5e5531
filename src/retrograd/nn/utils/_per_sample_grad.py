"""call_for_per_sample_grads: a gradient of each parameter for each example of a batch."""

from __future__ import annotations

import functools

import retrograd as torch
from retrograd.utils import _pytree as pytree

__all__ = ["call_for_per_sample_grads"]


def call_for_per_sample_grads(module, *, batch_size=None, loss_reduction="sum", batch_first=True):
    """The module's call, after whose backward() each parameter has `grad_sample`, (N, *shape).

    The examples run with weights of their own, under vmap. A loss that is the mean over the batch,
    `loss_reduction="mean"`, has its gradients multiplied by N. Layers that mix the examples, as
    batch norm does in training, see batches of one.

    Raises RuntimeError for an invalid batch size, or one that the arguments do not tell, another
    reduction, and parameters that have a `grad_sample` already.

    >>> import retrograd as torch
    >>> from retrograd.nn.utils._per_sample_grad import call_for_per_sample_grads
    >>> layer = torch.nn.Linear(2, 1, bias=False)
    >>> call_for_per_sample_grads(layer)(torch.tensor([[1., 2.], [3., 4.]])).sum().backward()
    >>> layer.weight.grad_sample.tolist()
    [[[1.0, 2.0]], [[3.0, 4.0]]]
    """
    _check(module, batch_size, loss_reduction)
    dim = 0 if batch_first else 1

    @functools.wraps(module.forward)
    def wrapper(*args, **kwargs):
        leaves, spec = pytree.tree_flatten((args, kwargs))
        n = _batch_size(leaves, dim) if batch_size is None else batch_size
        scale = n if loss_reduction == "mean" else 1
        weights = {name: _of_each(p, n, scale) for name, p in module.named_parameters()
                   if p.requires_grad}
        batched = [x for x in leaves if isinstance(x, torch.Tensor)]

        def one(weights, *examples):
            rest = iter(examples)
            given = [next(rest).unsqueeze(dim) if isinstance(x, torch.Tensor) else x
                     for x in leaves]
            args, kwargs = pytree.tree_unflatten(given, spec)
            result = torch.func.functional_call(module, weights, args, kwargs)
            return pytree.tree_map_only(torch.Tensor, lambda y: y.squeeze(dim), result)

        in_dims = (0, *[dim] * len(batched))
        return torch.vmap(one, in_dims, dim, randomness="different")(weights, *batched)

    return wrapper


def _of_each(parameter, n, scale):
    """The parameter repeated for n examples; its gradient becomes `grad_sample`."""
    each = parameter.detach().expand(n, *parameter.shape).requires_grad_()

    def keep(grad):
        known = getattr(parameter, "grad_sample", None)
        parameter.grad_sample = grad * scale if known is None else known + grad * scale
    each.register_hook(keep)
    return each


def _batch_size(leaves, dim):
    size = None
    for x in leaves:
        if not isinstance(x, torch.Tensor):
            continue
        if size is not None and size != x.shape[dim]:
            raise RuntimeError(
                "When computing batch size, found at least one input with batch size "
                f"{size} and one with batch size {x.shape[dim]}. Please specify it "
                "explicitly using the batch size kwarg in call_for_per_sample_grads")
        size = x.shape[dim]
    if size is None:
        raise RuntimeError(
            "Unable to find a tensor in the passed args and kwargs. They may not be pytree-able "
            "and so ExpandedWeights cannot compute the batch size from the inputs. Please specify "
            "it explicitly")
    return size


def _check(module, batch_size, loss_reduction):
    if loss_reduction not in ("sum", "mean"):
        raise RuntimeError(
            f"Expected loss_reduction argument to be sum or mean, got {loss_reduction}")
    if not isinstance(module, torch.nn.Module):
        raise RuntimeError(f"Module passed must be nn.Module, got {type(module).__name__}")
    if not (batch_size is None or isinstance(batch_size, int)):
        raise RuntimeError(
            f"Batch size passed must be None or an integer, got {type(batch_size).__name__}")
    if batch_size is not None and batch_size < 1:
        raise RuntimeError(f"Batch size must be positive, got {batch_size}")
    for weight in module.parameters():
        if getattr(weight, "grad_sample", None) is not None:
            raise RuntimeError(
                "Current Expanded Weights accumulates the gradients, which will be incorrect for "
                "multiple calls without clearing gradients. Please clear out the grad_sample "
                f"parameter of {weight} or post an issue to pytorch/pytorch to prioritize correct "
                "behavior")
