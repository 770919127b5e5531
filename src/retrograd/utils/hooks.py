"""Handles that take a hook out of the dictionary that holds it."""

from __future__ import annotations

import functools
import itertools
import warnings
import weakref
from collections import OrderedDict
from typing import Any

from .._warnings import warn

__all__ = ["BackwardHook", "RemovableHandle", "unserializable_hook", "warn_if_has_hooks"]


class RemovableHandle:
    """Removes one hook from a dictionary of hooks, and from any `extra_dict` under the same id.

    The dictionaries are held weakly; removing twice, or after they are gone, does nothing. As a
    context manager the handle removes its hook on exit.

    >>> from collections import OrderedDict
    >>> import retrograd as torch
    >>> hooks = OrderedDict()
    >>> handle = torch.utils.hooks.RemovableHandle(hooks)
    >>> hooks[handle.id] = print
    >>> handle.remove()
    >>> len(hooks)
    0
    """

    id: int
    _ids = itertools.count()

    def __init__(self, hooks_dict: Any, *, extra_dict: Any = None) -> None:
        self.hooks_dict_ref = weakref.ref(hooks_dict)
        self.id = next(RemovableHandle._ids)
        if extra_dict is None:
            extra_dict = []
        elif isinstance(extra_dict, dict):
            extra_dict = [extra_dict]
        self.extra_dict_ref = tuple(weakref.ref(d) for d in extra_dict)

    @property
    def _hook_dicts(self) -> list[dict]:
        found = (ref() for ref in (self.hooks_dict_ref, *self.extra_dict_ref))
        return [d for d in found if d is not None]

    def remove(self) -> None:
        for hooks in self._hook_dicts:
            hooks.pop(self.id, None)

    def __getstate__(self) -> tuple:
        return self.hooks_dict_ref(), self.id, tuple(ref() for ref in self.extra_dict_ref)

    def __setstate__(self, state: tuple) -> None:
        hooks, self.id, *extra = state
        alive = OrderedDict() if hooks is None else hooks
        self.hooks_dict_ref = weakref.ref(alive)
        dicts = extra[0] if extra else ()
        self.extra_dict_ref = tuple(weakref.ref(OrderedDict() if d is None else d) for d in dicts)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, exc_type: object, exc_value: object, traceback: object) -> None:
        self.remove()


def unserializable_hook(f: Any) -> Any:
    """Mark a hook as known not to be saved with its tensor: saving that does not warn of it then.

    >>> import retrograd as torch
    >>> hook = torch.utils.hooks.unserializable_hook(lambda grad: grad)
    >>> hook.__torch_unserializable__
    True
    """
    f.__torch_unserializable__ = True
    return f


def warn_if_has_hooks(tensor: Any) -> None:
    """Warn that the hooks of `tensor` are not saved with it."""
    for hook in (tensor._backward_hooks or {}).values():
        if not hasattr(hook, "__torch_unserializable__"):
            warnings.warn(f"backward hook {hook!r} on tensor will not be serialized.  If this is "
                          "expected, you can decorate the function with "
                          "@torch.utils.hooks.unserializable_hook to suppress this warning",
                          stacklevel=2)


class BackwardHook:
    """Runs the full backward hooks of one call of a module.

    An identity node goes around all tensor inputs and another around all tensor outputs.  When
    the output node has run, the gradients of the outputs are known: the pre-hooks see and may
    replace them.  When the input node has run, so are those of the inputs: the hooks see both and
    may replace the latter.
    """

    def __init__(self, module: Any, user_hooks: list, user_pre_hooks: list) -> None:
        self.module = module
        self.user_hooks = user_hooks
        self.user_pre_hooks = user_pre_hooks
        self.grad_outputs: Any = None
        self.n_outputs = self.n_inputs = -1
        self.output_tensors_index: list[int] | None = None
        self.input_tensors_index: list[int] | None = None

    def setup_input_hook(self, args: Any) -> Any:
        """The arguments, their tensors passed through the input node."""
        result, self.input_tensors_index = _through_identity(args, self._on_inputs)
        self.n_inputs = len(args)
        return result

    def setup_output_hook(self, args: Any) -> Any:
        """The outputs, their tensors passed through the output node."""
        several = isinstance(args, tuple)
        outputs = args if several else (args,)
        result, self.output_tensors_index = _through_identity(outputs, self._on_outputs)
        self.n_outputs = len(outputs)
        return result if several else result[0]

    def _on_inputs(self, grad_inputs: tuple, _: Any) -> tuple | None:
        if self.grad_outputs is None:     # this backward did not pass the outputs
            return None
        result = _spread(self.input_tensors_index, grad_inputs, self.n_inputs)
        for hook in self.user_hooks:
            new = hook(self.module, result, self.grad_outputs)
            if new is None:
                continue
            if len(new) != len(result):
                raise RuntimeError("Backward hook returned an invalid number of grad_input, "
                                   f"got {len(new)}, but expected {len(result)}")
            result = new
        self.grad_outputs = None
        return tuple(result[i] for i in self.input_tensors_index or ())

    def _on_outputs(self, _: Any, grad_outputs: tuple) -> tuple:
        self.grad_outputs = _spread(self.output_tensors_index, grad_outputs, self.n_outputs)
        for hook in self.user_pre_hooks:
            new = hook(self.module, self.grad_outputs)
            if new is None:
                continue
            if len(new) != len(self.grad_outputs):
                raise RuntimeError("Backward pre hook returned an invalid number of grad_output, "
                                   f"got {len(new)}, but expected {len(self.grad_outputs)}")
            self.grad_outputs = new
        current = self.grad_outputs
        if self.input_tensors_index is None:
            self._without_inputs()
        return tuple(current[i] for i in self.output_tensors_index or ())

    def _without_inputs(self) -> None:
        """No input requires grad: the hooks run now, with None for every input's gradient."""
        warn(
            "Full backward hook is firing when gradients are computed with respect to module "
            "outputs since no inputs require gradients. See "
            "https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html"
            "#torch.nn.Module.register_full_backward_hook for more details.")
        for hook in self.user_hooks:
            new = hook(self.module, (None,) * self.n_inputs, self.grad_outputs)
            if new is not None and not (isinstance(new, tuple) and all(g is None for g in new)):
                raise RuntimeError("Backward hook for Modules where no input requires gradient "
                                   "should always return None or None for all gradients.")
        self.grad_outputs = None


def _spread(indices: list[int] | None, values: tuple, size: int) -> tuple:
    """`values` at their `indices` in a tuple of None."""
    result = [None] * size
    for i, value in zip(indices or (), values, strict=True):
        result[i] = value
    return tuple(result)


def _through_identity(args: Any, hook: Any) -> tuple[Any, list[int] | None]:
    """`args` with their tensors passed through one node that has `hook`, and which they were.

    Nothing is done, and None returned for the places, where no tensor requires grad.
    """
    from .._state import state
    from .._tensor import Tensor

    places = [i for i, arg in enumerate(args) if isinstance(arg, Tensor)]
    if not (state.grad and any(args[i].requires_grad for i in places)):
        return args, None
    made = _identity().apply(*(args[i] for i in places))
    made = made if isinstance(made, tuple) else (made,)
    nodes = [t.grad_fn for t in made if t.grad_fn is not None]
    nodes[0].register_hook(hook)
    result = list(args)
    for i, tensor in zip(places, made, strict=True):
        result[i] = tensor
    return (tuple(result) if type(args) is tuple else type(args)(*result)), places


@functools.cache
def _identity() -> Any:
    from ..autograd import Function

    class BackwardHookFunction(Function):
        @staticmethod
        def forward(ctx, *args):
            ctx.mark_non_differentiable(*[arg for arg in args if not arg.requires_grad])
            return args

        @staticmethod
        def backward(ctx, *grads):
            return grads

    return BackwardHookFunction
