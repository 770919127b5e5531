"""Hooks of modules: the tables shared by all modules, and what surrounds one call of a module.

NOTE [order of module hooks] One call runs: forward pre-hooks (global, then the module's), the
inputs' BackwardHook node, forward(), forward hooks (global, then the module's), the outputs'
BackwardHook node.  Backward runs the pre-hooks when the gradients of the outputs are there, and
the full backward hooks when those of the inputs are.
"""
from __future__ import annotations

import functools
import warnings
import weakref
from collections import OrderedDict

from retrograd import Tensor
from retrograd.utils.hooks import BackwardHook, RemovableHandle

_global_backward_pre_hooks = OrderedDict()
_global_backward_hooks = OrderedDict()
_global_forward_pre_hooks = OrderedDict()
_global_forward_hooks = OrderedDict()
_global_forward_hooks_always_called = OrderedDict()
_global_forward_hooks_with_kwargs = OrderedDict()
_global_buffer_registration_hooks = OrderedDict()
_global_module_registration_hooks = OrderedDict()
_global_parameter_registration_hooks = OrderedDict()


class _BackwardHookKind:
    """Whether the global backward hooks are the full kind; None while there are none."""

    full = None


def _has_any_global_hook():
    return bool(_global_backward_pre_hooks or _global_backward_hooks or _global_forward_pre_hooks
                or _global_forward_hooks or _global_forward_hooks_always_called
                or _global_forward_hooks_with_kwargs)


def _register(table, hook, extra_dict=None):
    handle = RemovableHandle(table, extra_dict=extra_dict)
    table[handle.id] = hook
    return handle


def register_module_buffer_registration_hook(hook):
    """Call ``hook(module, name, buffer)`` whenever any module registers a buffer."""
    return _register(_global_buffer_registration_hooks, hook)


def register_module_module_registration_hook(hook):
    """Call ``hook(module, name, submodule)`` whenever any module registers a submodule."""
    return _register(_global_module_registration_hooks, hook)


def register_module_parameter_registration_hook(hook):
    """Call ``hook(module, name, parameter)`` whenever any module registers a parameter."""
    return _register(_global_parameter_registration_hooks, hook)


def register_module_forward_pre_hook(hook):
    """Call ``hook(module, args)`` before every module's forward; it may return new args."""
    return _register(_global_forward_pre_hooks, hook)


def register_module_forward_hook(hook, *, with_kwargs=False, always_call=False):
    """Call ``hook(module, args, output)`` after every module's forward.

    With ``with_kwargs`` the call is ``hook(module, args, kwargs, output)``; with
    ``always_call`` it is made also when forward raised.
    """
    handle = _register(
        _global_forward_hooks, hook,
        [_global_forward_hooks_with_kwargs, _global_forward_hooks_always_called],
    )
    if with_kwargs:
        _global_forward_hooks_with_kwargs[handle.id] = True
    if always_call:
        _global_forward_hooks_always_called[handle.id] = True
    return handle


def register_module_full_backward_pre_hook(hook):
    """Call ``hook(module, grad_output)`` before every module's backward."""
    return _register(_global_backward_pre_hooks, hook)


def register_module_backward_hook(hook):
    """The old kind of backward hook, on the last node only; prefer the full one."""
    if _BackwardHookKind.full is True:
        raise RuntimeError(
            "Cannot use both regular backward hooks and full backward hooks as a "
            "global Module hook. Please use only one of them."
        )
    _BackwardHookKind.full = False
    return _register(_global_backward_hooks, hook)


def register_module_full_backward_hook(hook):
    """Call ``hook(module, grad_input, grad_output)`` after every module's backward."""
    if _BackwardHookKind.full is False:
        raise RuntimeError(
            "Cannot use both regular backward hooks and full backward hooks as a "
            "global Module hook. Please use only one of them."
        )
    _BackwardHookKind.full = True
    return _register(_global_backward_hooks, hook)


class _WrappedHook:
    """A hook that keeps its name and, if asked, holds its module weakly and passes it first."""

    def __init__(self, hook, module=None):
        self.hook = hook
        functools.update_wrapper(self, hook)
        self.with_module = module is not None
        if self.with_module:
            self.module = weakref.ref(module)

    def __call__(self, *args, **kwargs):
        if not self.with_module:
            return self.hook(*args, **kwargs)
        module = self.module()
        if module is None:
            raise RuntimeError("You are trying to call the hook of a dead Module!")
        return self.hook(module, *args, **kwargs)

    def __getstate__(self):
        state = {"hook": self.hook, "with_module": self.with_module}
        if self.with_module:
            state["module"] = self.module()
        return state

    def __setstate__(self, state):
        self.hook = state["hook"]
        self.with_module = state["with_module"]
        if self.with_module:
            if state["module"] is None:
                raise RuntimeError("You are trying to revive the hook of a dead Module!")
            self.module = weakref.ref(state["module"])


def call_with_hooks(module, args, kwargs):
    """``module.forward(*args, **kwargs)`` with every hook in its place."""
    done = set()
    try:
        return _call(module, args, kwargs, done)
    except Exception:
        _always_call(module, args, kwargs, done)
        raise


def _call(module, args, kwargs, done):
    pre_backward = [*_global_backward_pre_hooks.values(), *module._backward_pre_hooks.values()]
    full, legacy = backward_hooks_of(module)
    args, kwargs = _forward_pre(module, args, kwargs)
    around = None
    if full or pre_backward:
        around = BackwardHook(module, full, pre_backward)
        args = around.setup_input_hook(args)
    result = module.forward(*args, **kwargs)
    result = _forward_post(module, args, kwargs, result, done)
    if around is not None:
        if not isinstance(result, (Tensor, tuple)):
            warnings.warn(
                "For backward hooks to be called,"
                " module output should be a Tensor or a tuple of Tensors"
                f" but received {type(result)}", stacklevel=4,
            )
        result = around.setup_output_hook(result)
    if legacy:
        _attach_legacy(module, legacy, args, result)
    return result


def backward_hooks_of(module):
    """The backward hooks that apply to `module`: (full ones, old-style ones)."""
    full, legacy = [], []
    (full if _BackwardHookKind.full is True else legacy).extend(_global_backward_hooks.values())
    own = module._backward_hooks.values()
    (full if module._is_full_backward_hook is True else legacy).extend(own)
    return full, legacy


def _forward_pre(module, args, kwargs):
    hooks = (*_global_forward_pre_hooks.items(), *module._forward_pre_hooks.items())
    for hook_id, hook in hooks:
        if hook_id in module._forward_pre_hooks_with_kwargs:
            new = hook(module, args, kwargs)
            if new is not None:
                if not (isinstance(new, tuple) and len(new) == 2):
                    raise RuntimeError(
                        "forward pre-hook must return None or a tuple "
                        f"of (new_args, new_kwargs), but got {new}."
                    )
                args, kwargs = new
        else:
            new = hook(module, args)
            if new is not None:
                args = new if isinstance(new, tuple) else (new,)
    return args, kwargs


def _forward_post(module, args, kwargs, result, done):
    for hook_id, hook in (*_global_forward_hooks.items(), *module._forward_hooks.items()):
        if (hook_id in module._forward_hooks_always_called
                or hook_id in _global_forward_hooks_always_called):
            done.add(hook_id)
        result = _one_forward_hook(module, hook_id, hook, args, kwargs, result)
    return result


def _one_forward_hook(module, hook_id, hook, args, kwargs, result):
    if (hook_id in module._forward_hooks_with_kwargs
            or hook_id in _global_forward_hooks_with_kwargs):
        new = hook(module, args, kwargs, result)
    else:
        new = hook(module, args, result)
    return result if new is None else new


def _always_call(module, args, kwargs, done):
    """After an exception, the hooks that asked to be called in any case."""
    result = None
    for which, hooks, wanted in (
        ("global module", _global_forward_hooks, _global_forward_hooks_always_called),
        ("module", module._forward_hooks, module._forward_hooks_always_called),
    ):
        for hook_id, hook in hooks.items():
            if hook_id not in wanted or hook_id in done:
                continue
            try:
                result = _one_forward_hook(module, hook_id, hook, args, kwargs, result)
            except Exception as error:    # the error of forward is the one to report
                warnings.warn(
                    f"{which} forward hook with ``always_call=True`` raised an exception "
                    f"that was silenced as another error was raised in forward: {error!s}",
                    stacklevel=4,
                )


def _attach_legacy(module, hooks, args, result):
    var = result
    while not isinstance(var, Tensor):
        if isinstance(var, dict):
            var = next(v for v in var.values() if isinstance(v, Tensor))
        else:
            var = var[0]
    if var.grad_fn is None:
        return
    for hook in hooks:
        var.grad_fn.register_hook(_WrappedHook(hook, module))
    _warn_if_incomplete(args, result, var.grad_fn)


def _warn_if_incomplete(inputs, result, grad_fn):
    """An old-style hook sees one node; say so where the module has recorded several."""
    results = (result,) if isinstance(result, Tensor) else result
    if not isinstance(results, tuple) or not all(isinstance(r, Tensor) for r in results):
        warnings.warn(
            "Using non-full backward hooks on a Module that does not return a "
            "single Tensor or a tuple of Tensors is deprecated and will be removed "
            "in future versions. This hook will be missing some of the grad_output. "
            "Please use register_full_backward_hook to get the documented behavior.",
            FutureWarning, stacklevel=5,
        )
        return
    inputs = (inputs,) if isinstance(inputs, Tensor) else inputs
    if not isinstance(inputs, tuple) or not all(isinstance(i, Tensor) for i in inputs):
        warnings.warn(
            "Using non-full backward hooks on a Module that does not take as input a "
            "single Tensor or a tuple of Tensors is deprecated and will be removed "
            "in future versions. This hook will be missing some of the grad_input. "
            "Please use register_full_backward_hook to get the documented behavior.",
            FutureWarning, stacklevel=5,
        )
        return
    out_nodes = {r.grad_fn for r in results if r.grad_fn is not None}
    if len(out_nodes) > 1 or (len(out_nodes) == 1 and next(iter(out_nodes)) is not grad_fn):
        warnings.warn(
            "Using a non-full backward hook when outputs are generated by different autograd "
            "Nodes is deprecated and will be removed in future versions. This hook will be "
            "missing some grad_output. Please use register_full_backward_hook to get the "
            "documented behavior.", FutureWarning, stacklevel=5,
        )
        return
    in_nodes = {i.grad_fn for i in inputs if i.grad_fn is not None}
    next_nodes = {n[0] for n in grad_fn.next_functions}
    if in_nodes != next_nodes:
        warnings.warn(
            "Using a non-full backward hook when the forward contains multiple autograd Nodes "
            "is deprecated and will be removed in future versions. This hook will be missing "
            "some grad_input. Please use register_full_backward_hook to get the documented "
            "behavior.", FutureWarning, stacklevel=5,
        )
