"""The graph as users see it: nodes, edges, hooks on saved tensors and on several tensors."""

from __future__ import annotations

import contextlib
import threading
import weakref
from collections.abc import Iterable
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary, WeakValueDictionary

from .._attributes import Size
from .._callers import note_write
from .._dtype import dtype
from .._state import features, state
from .._tensor import Tensor
from ..utils.hooks import RemovableHandle
from . import engine
from .node import AccumulateGrad, Node, edge
from .saved import pop_hooks, push_hooks

__all__ = [
    "GradientEdge",
    "Node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "region_activation_memory_budget",
    "save_on_cpu",
    "saved_tensors_hooks",
    "set_override_stale_capture_stream",
    "set_warn_on_accumulate_grad_stream_mismatch",
]


class GradientEdge(NamedTuple):
    """Where a tensor's gradient arrives: output `output_nr` of `node`.

    `backward` and `grad` take edges in place of tensors, so that the tensor need not be kept.
    See `get_gradient_edge`.

    >>> import retrograd as torch
    >>> x = torch.tensor(3., requires_grad=True)
    >>> edge = torch.autograd.graph.get_gradient_edge(x)
    >>> torch.autograd.grad(x * x, edge)
    (tensor(6.),)
    """

    node: Node
    output_nr: int
    ownership_token: Any = None


class _Output(NamedTuple):
    """Shape and dtype of an edge's tensor: those of the gradient that backward begins with."""

    shape: Size
    dtype: dtype


def get_gradient_edge(tensor) -> GradientEdge:
    """The edge of a tensor that requires grad; a RuntimeError for others.

    >>> import retrograd as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> edge = torch.autograd.graph.get_gradient_edge(x)
    >>> torch.autograd.grad((x * 3).sum(), edge)
    (tensor([3., 3.]),)
    """
    if not tensor.requires_grad:
        raise RuntimeError(
            "It is not possible to get the gradient edge for a Tensor that does not require "
            "gradients"
        )
    node, output_nr = edge(tensor)
    return GradientEdge(node, output_nr, _Output(tensor.shape, tensor.dtype))


def _node_of(t) -> Node:
    """The node at which the gradient of a tensor or an edge arrives."""
    if isinstance(t, GradientEdge):
        return t.node
    found = edge(t)
    if found is None:
        raise AssertionError("Expected gradient function to be set")
    return found[0]


def increment_version(tensor) -> None:
    """Count a write that autograd could not see, to one tensor or several.

    Backward then refuses to use values that were saved before it.

    >>> import retrograd as torch
    >>> x = torch.ones(2)
    >>> x.numpy()[0] = 5.0
    >>> torch.autograd.graph.increment_version(x)
    >>> x._version
    1
    """
    tensors = (tensor,) if isinstance(tensor, Tensor) else tensor
    if not isinstance(tensors, Iterable):
        raise RuntimeError("increment_version expect a Iterable[Tensor] as input")
    for t in tensors:
        if not isinstance(t, Tensor):
            raise RuntimeError("increment_version expects each element of the iterable to be a "
                               "tensor")
        note_write(t, "increment_version")


# Hooks on saved tensors


class saved_tensors_hooks:
    """In this block, keep `pack_hook(tensor)` in place of each tensor saved for backward.

    When backward needs it, `unpack_hook` gets what pack_hook returned and must return a tensor
    of the same values. Of nested blocks the innermost one counts.

    >>> import retrograd as torch
    >>> x = torch.ones(3, requires_grad=True)
    >>> with torch.autograd.graph.saved_tensors_hooks(lambda t: t.numpy(), torch.from_numpy):
    ...     y = x.detach().exp() * x
    >>> y.sum().backward()
    >>> x.grad
    tensor([2.7183, 2.7183, 2.7183])
    """

    def __init__(self, pack_hook, unpack_hook):
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self) -> None:
        push_hooks(self.pack_hook, self.unpack_hook)

    def __exit__(self, *exc_info) -> None:
        pop_hooks()


class save_on_cpu(saved_tensors_hooks):
    """Keep copies of saved tensors in main memory, where they are in any case.

    >>> import retrograd as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.autograd.graph.save_on_cpu():
    ...     y = x.exp().sum()
    >>> y.backward(); x.grad
    tensor([2.7183, 2.7183])
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda"):
        super().__init__(lambda t: (t.device, t.cpu()), lambda packed: packed[1].to(packed[0]))


@contextlib.contextmanager
def disable_saved_tensors_hooks(error_message: str):
    """In this block, make `saved_tensors_hooks` an error with this message.

    >>> import retrograd as torch
    >>> graph = torch.autograd.graph
    >>> with graph.disable_saved_tensors_hooks("not here"):
    ...     with graph.save_on_cpu():
    ...         pass
    Traceback (most recent call last):
        ...
    RuntimeError: not here
    """
    if state.saved_hooks:
        raise RuntimeError(error_message)
    before, state.saved_hooks_disabled = state.saved_hooks_disabled, error_message
    try:
        yield
    finally:
        state.saved_hooks_disabled = before


# Hooks over several tensors


class _MultiHandle(RemovableHandle):
    """One handle for several hooks."""

    def __init__(self, handles):
        self.handles = handles

    def remove(self) -> None:
        for handle in self.handles:
            handle.remove()

    def __getstate__(self):
        return self.handles

    def __setstate__(self, handles):
        self.handles = handles


def _finder(t):
    """A function that finds the node of `t` as it is now; it keeps neither of them alive."""
    node = _node_of(t)
    if not isinstance(node, AccumulateGrad):
        return weakref.ref(node)
    leaf = weakref.ref(node.variable)  # its node comes and goes with graphs
    return lambda: None if leaf() is None else _node_of(leaf())


class _Gathered:
    """The gradients of one backward pass that have arrived so far."""

    def __init__(self, expected: int, n: int):
        self.missing = expected
        self.grads = [None] * n


def register_multi_grad_hook(tensors, fn, *, mode: str = "all") -> RemovableHandle:
    """Call `fn` once in each backward pass that reaches these tensors.

    mode="all": `fn(grads)`, once all gradients that the pass computes have arrived (None for the
    other tensors). mode="any": `fn(grad)` with the first gradient. Returns a handle.

    >>> import retrograd as torch
    >>> x, y = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
    >>> handle = torch.autograd.graph.register_multi_grad_hook([x, y], print)
    >>> (2 * x + 3 * y).backward()
    [tensor([2.]), tensor([3.])]
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    lock, passes = threading.Lock(), WeakKeyDictionary()
    if mode == "any":

        def first(grad):
            with lock:
                seen = passes.setdefault(engine.current_task(), [])
                seen.append(None)
            if len(seen) == 1:
                fn(grad)

        return _MultiHandle(tuple(t.register_hook(first) for t in tensors if t.requires_grad))
    nodes = [_finder(t) for t in tensors]

    def arrived(position, grad):
        task = engine.current_task()
        with lock:
            gathered = passes.get(task)
            if gathered is None:
                expected = sum(task.will_run(find()) for find in nodes)
                gathered = passes[task] = _Gathered(expected, len(nodes))
            gathered.missing -= 1
            gathered.grads[position] = grad
        if gathered.missing == 0:
            fn(gathered.grads)

    handles = [
        t.register_hook(lambda grad, position=position: arrived(position, grad))
        for position, t in enumerate(tensors)
    ]
    return _MultiHandle(tuple(handles))


# Writing to saved tensors


class _Handle:
    """Stands for a saved tensor at one version of its memory."""


class _AllowMutationOnSavedContext:
    """The tensors that were saved in a block of `allow_mutation_on_saved_tensors`.

    `original` has the tensors that are still as they were saved, `cloned` the copies of those
    that have been written to since.
    """

    _active: _AllowMutationOnSavedContext | None = None

    def __init__(self):
        self.original = WeakKeyDictionary()
        self.cloned = WeakKeyDictionary()
        self.tid_to_weakhandle = WeakValueDictionary()

    def pack(self, tensor) -> _Handle:
        key = (id(tensor._cell), id(tensor), tensor._cell[0])
        handle = self.tid_to_weakhandle.get(key)
        if handle is None:
            handle = self.tid_to_weakhandle[key] = _Handle()
            self.original[handle] = tensor
        return handle

    def unpack(self, handle: _Handle):
        found = self.cloned.get(handle)
        if found is None:
            found = self.original.get(handle)
        if found is None or _AllowMutationOnSavedContext._active is None:
            raise AssertionError(
                "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context"
                "in which the graph was originally recorded."
            )
        return found

    def before_write(self, tensor, op=None) -> None:
        """Copy what was saved of the memory that an operator is about to change."""
        for handle, saved in list(self.original.items()):
            if saved._cell is tensor._cell:
                self.cloned[handle] = saved.detach().clone()
                del self.original[handle]

    def clear(self) -> None:
        self.original.clear()
        self.cloned.clear()
        self.tid_to_weakhandle.clear()


@contextlib.contextmanager
def allow_mutation_on_saved_tensors():
    """In this block, a saved tensor that is written to is copied first, so backward still works.

    Both the writes and backward must happen inside. Blocks cannot be nested.

    >>> import retrograd as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.autograd.graph.allow_mutation_on_saved_tensors():
    ...     y = x.exp()
    ...     z = y.sin().sum()
    ...     _ = y.zero_()                 # exp() and sin() have saved y
    ...     z.backward()
    >>> x.grad
    tensor([-2.4784, -2.4784])
    """
    if _AllowMutationOnSavedContext._active is not None:
        raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
    context = _AllowMutationOnSavedContext()
    with saved_tensors_hooks(context.pack, context.unpack):
        _AllowMutationOnSavedContext._active = context
        features.on_write(context.before_write)
        try:
            yield context
        finally:
            features.off_write(context.before_write)
            _AllowMutationOnSavedContext._active = None
            context.clear()


# For PyTorch's compiler and accelerators


def region_activation_memory_budget(budget: float):
    """Raises RuntimeError: it is for compiled code only, in PyTorch too."""
    raise RuntimeError(
        "torch.autograd.graph.region_activation_memory_budget can only be used inside a "
        "torch.compile region; it has no effect in eager mode."
    )


def set_warn_on_accumulate_grad_stream_mismatch(enabled: bool) -> None:
    """Accepted; there are no streams on a CPU.

    >>> import retrograd as torch
    >>> torch.autograd.graph.set_warn_on_accumulate_grad_stream_mismatch(True)
    """


def set_override_stale_capture_stream(enabled: bool) -> None:
    """Accepted; there are no streams on a CPU.

    >>> import retrograd as torch
    >>> torch.autograd.graph.set_override_stale_capture_stream(True)
    """
