"""Hooks of modules: registering them, and the old kind of backward hook."""
from __future__ import annotations

import functools
import warnings
import weakref

from retrograd import Tensor
from retrograd.utils.hooks import RemovableHandle

BOTH_KINDS = ("Cannot use both regular backward hooks and full backward hooks {}. Please use only "
              "one of them.")


def _register(table, hook, extra_dict=None):
    handle = RemovableHandle(table, extra_dict=extra_dict)
    table[handle.id] = hook
    return handle


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


class Hooks:
    """A module's own hooks: around its forward and its backward."""

    def _add_hook(self, table, hook, prepend, *flags):
        handle = _register(table, hook, [flag for flag, _ in flags] or None)
        for flag, wanted in flags:
            if wanted:
                flag[handle.id] = True
        if prepend:
            table.move_to_end(handle.id, last=False)
        return handle

    def register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False):
        """Call `hook(module, args)` before each forward.

        What the hook returns, unless None, replaces the positional arguments. The handle that is
        returned here has `remove()`.

        Args:
            prepend: call it before the hooks that are already registered.
            with_kwargs: call `hook(module, args, kwargs)`, which may return `(args, kwargs)`.

        >>> import retrograd as torch
        >>> relu = torch.nn.ReLU()
        >>> handle = relu.register_forward_pre_hook(lambda module, args: (-args[0],))
        >>> relu(torch.tensor([-1.0, 2.0]))
        tensor([1., 0.])
        """
        return self._add_hook(self._forward_pre_hooks, hook, prepend,
                              (self._forward_pre_hooks_with_kwargs, with_kwargs))

    def register_forward_hook(self, hook, *, prepend=False, with_kwargs=False, always_call=False):
        """Call `hook(module, args, output)` after each forward.

        What the hook returns, unless None, replaces the output. The handle that is returned here
        has `remove()`.

        Args:
            prepend: call it before the hooks that are already registered.
            with_kwargs: call `hook(module, args, kwargs, output)`.
            always_call: call it also when forward raised an exception.

        >>> import retrograd as torch
        >>> layer = torch.nn.Linear(3, 2)
        >>> shapes = []
        >>> hook = lambda module, args, output: shapes.append(tuple(output.shape))
        >>> handle = layer.register_forward_hook(hook)
        >>> _ = layer(torch.ones(5, 3))
        >>> handle.remove()
        >>> shapes
        [(5, 2)]
        """
        return self._add_hook(self._forward_hooks, hook, prepend,
                              (self._forward_hooks_with_kwargs, with_kwargs),
                              (self._forward_hooks_always_called, always_call))

    def register_full_backward_pre_hook(self, hook, prepend=False):
        """Call `hook(module, grad_output)` when the gradients of the outputs have arrived.

        `grad_output` is a tuple with an entry for each output. What the hook returns, unless None,
        replaces it.

        >>> import retrograd as torch
        >>> layer = torch.nn.Linear(2, 1)
        >>> handle = layer.register_full_backward_pre_hook(lambda module, grads: (grads[0] * 10,))
        >>> layer(torch.ones(2, requires_grad=True)).backward()
        >>> layer.bias.grad
        tensor([10.])
        """
        return self._add_hook(self._backward_pre_hooks, hook, prepend)

    def register_full_backward_hook(self, hook, prepend=False):
        """Call `hook(module, grad_input, grad_output)` when both gradients are computed.

        Both are tuples, with an entry for each positional input and for each output; that of an
        input without requires_grad is None. What the hook returns, unless None, replaces
        grad_input. Raises RuntimeError on a module that has hooks of the old kind.

        >>> import retrograd as torch
        >>> layer = torch.nn.Linear(3, 2)
        >>> shapes = []
        >>> handle = layer.register_full_backward_hook(
        ...     lambda module, grad_input, grad_output: shapes.extend(
        ...         [tuple(grad_input[0].shape), tuple(grad_output[0].shape)]))
        >>> layer(torch.ones(5, 3, requires_grad=True)).sum().backward()
        >>> shapes
        [(5, 3), (5, 2)]
        """
        if self._is_full_backward_hook is False:
            raise RuntimeError(BOTH_KINDS.format("on a single Module"))
        self._is_full_backward_hook = True
        return self._add_hook(self._backward_hooks, hook, prepend)

    def register_backward_hook(self, hook):
        """The old kind of backward hook, on the module's last node only.

        Use `register_full_backward_hook`. Raises RuntimeError on a module that has full hooks.
        """
        if self._is_full_backward_hook is True:
            raise RuntimeError(BOTH_KINDS.format("on a single Module"))
        self._is_full_backward_hook = False
        return self._add_hook(self._backward_hooks, hook, False)


def attach_legacy(module, hooks, args, result):
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
