"""functional_call: a module run with other parameters and buffers in place of its own."""
from __future__ import annotations

import contextlib
import warnings

from retrograd.nn.utils._named_member_accessor import NamedMemberAccessor

__all__ = ["functional_call"]


def _untie_named_tensors_map(module, parameters_and_buffers):
    """The given tensors, under every name that shares one of the given names' tensors."""
    names_of = {}
    for named in (module.named_parameters(remove_duplicate=False),
                  module.named_buffers(remove_duplicate=False)):
        for name, tensor in named:
            names_of.setdefault(tensor, []).append(name)
    untied = dict(parameters_and_buffers)
    for names in names_of.values():
        given = [name for name in names if name in parameters_and_buffers]
        if not given:
            continue
        if len({id(parameters_and_buffers[name]) for name in given}) > 1:
            raise ValueError(f"functional_call got multiple values for keys {sorted(given)}, "
                             "which are tied. Consider using tie_weights=False")
        for name in names:
            untied[name] = parameters_and_buffers[given[0]]
    return untied


@contextlib.contextmanager
def _reparametrize_module(module, parameters_and_buffers, tie_weights=False, strict=False,
                          stack_weights=False):
    """Inside, the module's tensors are the given ones; afterwards its own again."""
    given = parameters_and_buffers
    if tie_weights:
        parameters_and_buffers = _untie_named_tensors_map(module, parameters_and_buffers)
    accessor = NamedMemberAccessor(module)
    if strict:
        missing, unexpected = accessor.check_keys(parameters_and_buffers)
        problems = []
        if unexpected:
            problems.append(f"Unexpected key(s): {', '.join(map(repr, unexpected))}.")
        if missing:
            problems.append(f"Missing key(s): {', '.join(map(repr, missing))}.")
        if problems:
            raise RuntimeError("Error(s) in reparametrizing for {}:\n\t{}".format(
                module._get_name(), "\n\t".join(problems)))
    own = {}
    try:
        own, _ = accessor.swap_tensors_dict(parameters_and_buffers, allow_missing=True)
        yield
    finally:
        if stack_weights:
            own = dict(reversed(own.items()))
        new, _ = accessor.swap_tensors_dict(own, allow_missing=True)
        # what forward assigned in place of a given tensor is handed back
        given.update({k: new[k] for k in given if k in new})


def functional_call(module, parameters_and_buffers, args=None, kwargs=None, *, tie_weights=True,
                    strict=False):
    """The old place of torch.func.functional_call."""
    warnings.warn("`torch.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0 and "
                  "will be removed in a future version of PyTorch. Please use "
                  "`torch.func.functional_call` instead which is a drop-in replacement.",
                  FutureWarning, stacklevel=2)
    return _functional_call(module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights,
                            strict=strict)


def _functional_call(module, parameters_and_buffers, args=None, kwargs=None, *, tie_weights=True,
                     strict=False):
    """`module(*args, **kwargs)` computed with the given tensors by name."""
    if args is None:
        args = ()
    elif not isinstance(args, tuple):
        args = (args,)
    with _reparametrize_module(module, parameters_and_buffers, tie_weights, strict):
        return module(*args, **({} if kwargs is None else kwargs))
