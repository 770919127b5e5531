"""Reading a recorded graph: its nodes, what they saved, how many bytes that is, and their lines.

Everything here only looks: no hook is added, nothing is unpacked by a user's hook, and walks are
loops, so a chain of a million nodes is no trouble.
"""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from .._tensor import Tensor
from ..autograd.node import AccumulateGrad, Node
from ..autograd.recording import Held
from ..autograd.saved import SavedTensor
from ..autograd.views import CopySlices
from ..ops.generate_node import saved_outputs, saved_tensors
from .places import Place, place
from .tracing import Call


def nodes(roots: Iterable[Node]) -> list[Node]:
    """Every node that can be reached from `roots`, newest first, leaves' nodes last."""
    found = dict.fromkeys(roots)
    stack = list(found)
    while stack:
        for n in stack.pop().edges:
            if n is not None and n not in found:
                found[n] = None
                stack.append(n)
    return sorted(found, key=lambda n: (not isinstance(n, AccumulateGrad), n._seq), reverse=True)


def head(t: Tensor) -> Node | None:
    """t.grad_fn; None where asking for it is an error, as of a view that was left behind."""
    try:
        return t.grad_fn
    except RuntimeError:
        return None


def leaves(roots: Iterable[Node]) -> list[Tensor]:
    """The leaf tensors whose gradient a backward pass from `roots` would fill."""
    return [n.variable for n in nodes(roots) if isinstance(n, AccumulateGrad)]


def only_source(node: Node) -> Node | None:
    """The node that a node's result is computed from, if it is one."""
    sources = [e for e in node.edges if e is not None]
    return sources[0] if len(sources) == 1 else None


def path(start: Node, goal: Node) -> list[Node]:
    """A shortest way from `start` to `goal` along the edges; empty if there is none."""
    before: dict[Node, Node | None] = {start: None}
    wave = [start]
    while wave and goal not in before:
        wave, last = [], wave
        for node in last:
            for n in node.edges:
                if n is not None and n not in before:
                    before[n] = node
                    wave.append(n)
    steps: list[Node] = []
    step = goal if goal in before else None
    while step is not None:
        steps.append(step)
        step = before[step]
    return steps[::-1]


REGROUPED = ("ViewBackward0", "UnsafeViewBackward0", "ReshapeAliasBackward0", "SqueezeBackward0",
             "SqueezeBackward1", "SqueezeBackward2")


def behind_turns(node: Any, shape: tuple[int, ...], dim: int) -> tuple[Any, int]:
    """The node behind views that move numbers or count them otherwise, and where `dim` was there.

    `shape` is that of the node's result. (None, 0) where a view has taken the dimension apart.
    """
    while node is not None:
        kind = type(node).__name__
        if kind in ("TransposeBackward0", "PermuteBackward0"):
            order = list(range(len(shape)))
            if kind == "PermuteBackward0":
                order = [d % len(shape) for d in node._saved_dims]
            else:
                a, b = node._saved_dim0 % len(shape), node._saved_dim1 % len(shape)
                order[a], order[b] = b, a
            shape, dim = tuple(shape[order.index(d)] for d in range(len(shape))), order[dim]
        elif kind == "UnsqueezeBackward0" and node._saved_dim % len(shape) != dim:
            d = node._saved_dim % len(shape)
            shape, dim = shape[:d] + shape[d + 1:], dim - (dim > d)
        elif hasattr(node, "_saved_self_sym_sizes") and kind in REGROUPED:
            size, step = shape[dim], math.prod(shape[dim + 1:])
            shape = tuple(node._saved_self_sym_sizes)
            dim = next((d for d, n in enumerate(shape)
                        if n == size and math.prod(shape[d + 1:]) == step), -1)
            if dim < 0:
                return None, 0
        elif kind not in ("CloneBackward0", "ExpandBackward0"):
            return node, dim
        node = node.edges[0]
    return None, 0


# --------------------------------------------------------------------------- what a node holds

@dataclass
class Saved:
    """A tensor that a node keeps for backward: its `name`, its `array` and its memory's `cell`."""

    name: str
    array: np.ndarray
    cell: list
    version: int
    tensor: Tensor | None = None          # None for an output, which is kept as an array

    @property
    def changed(self) -> bool:
        """Whether the memory was written to since the node saved it."""
        return self.cell[0] != self.version


def is_freed(node: Node) -> bool:
    """Whether a backward pass has thrown away what the node had saved."""
    return getattr(node, "_saved", ()) is None


def keeps(node: Node) -> bool:
    """Whether a node is of a kind that keeps tensors for backward; only such nodes can be freed."""
    operator: Any = getattr(type(node), "operator", None)
    if operator is None:
        return not isinstance(node, AccumulateGrad)
    return any(kept_tensors(operator))


def saved(node: Node) -> list[Saved]:
    """The tensors that a node keeps; none if they were freed or are in the hands of hooks."""
    values = getattr(node, "_saved", None)
    if not values:
        return []
    if isinstance(node, CopySlices):
        return saved(values)
    if isinstance(node, Held) or isinstance(values[0], SavedTensor):
        return _held(node, values)
    operator = getattr(type(node), "operator", None)
    return [] if operator is None else _declared(operator, values)


@cache
def kept_tensors(operator) -> tuple[list[str], list[str]]:
    """The inputs and the outputs that an operator's nodes keep, in the order of `_saved`."""
    return saved_tensors(operator), saved_outputs(operator)


def _declared(operator, values) -> list[Saved]:
    """See generate_node.saved_layout for the order."""
    inputs, outputs = kept_tensors(operator)
    found, values = [], iter(values)
    for name in inputs:
        t, version = next(values), next(values)
        if isinstance(t, Tensor):
            found.append(Saved(name, t._data, t._cell, version, t))
    for name in outputs:
        array, cell, version = next(values), next(values), next(values)
        if isinstance(array, np.ndarray):
            found.append(Saved(name, array, cell, version))
    return found


def _held(node, values) -> list[Saved]:
    names = [name for name, _ in getattr(node, "fields", ())]
    found = []
    for k, one in enumerate(v for v in values if isinstance(v, SavedTensor)):
        t = one._tensor
        if t is not None:
            name = names[k] if k < len(names) else f"saved_tensors[{k}]"
            found.append(Saved(name, t._data, t._cell, one._version, t))
    return found


def numbers(array: Any) -> np.ndarray:
    """The numbers of a tensor's array: of a sparse one those that it lists."""
    return getattr(array, "values", array)


def array_of(x: Any) -> Any:
    """The array of a Tensor or of one of NumPy's scalars, which gradients of no dimensions are."""
    if type(x) is np.ndarray:                # most often
        return x
    return x._data if isinstance(x, Tensor) else np.asarray(x) if isinstance(x, np.generic) else x


def arrays_in(values: Any) -> list[np.ndarray]:
    """The arrays in an array, a Tensor, or a tuple or list of them."""
    if type(values) is np.ndarray:
        return [values]
    parts = values if isinstance(values, (tuple, list)) else [values]
    return [a for a in map(array_of, parts) if type(a) is np.ndarray]


def are_zeros(values: Any) -> bool:
    """Whether there is nothing but zeros in an array, a Tensor, or several of them."""
    arrays = arrays_in(values)
    return any(a.size for a in arrays) and not any(a.any() for a in arrays)


def tensors_in(result: Any) -> Iterator[Tensor]:
    """The tensors of what a network returns: one, or several in tuples, lists and dicts."""
    if isinstance(result, Tensor):
        yield result
    elif isinstance(result, (tuple, list, dict)):
        for part in result.values() if isinstance(result, dict) else result:
            yield from tensors_in(part)


def first_head(result: Any) -> Any:
    """The node of the first tensor with a history in what a network returns, or None."""
    return next((n for t in tensors_in(result) if (n := head(t)) is not None), None)


def first_two(args: tuple, kwargs: dict[str, Any]) -> list[Any]:
    """A function's tensor, and the other one or the dimension; None for what is not given."""
    named = (kwargs[name] for name in ("input", "other", "dim", "axis") if name in kwargs)
    return [*args[:2], *named, None, None][:2]


def shapes_of(args: tuple) -> tuple[tuple[int, ...], ...]:
    """The shapes of the tensors among a function's arguments."""
    return tuple(a._data.shape for a in args if isinstance(a, Tensor))


def first_of(args: tuple, kwargs: dict[str, Any], name: str) -> Any:
    """A function's first argument, which may be given by its name."""
    return args[0] if args else kwargs.get(name)


def has_parameters(module: Any) -> bool:
    """Whether a Module has parameters: no loss function, nor a bare tanh."""
    waiting = [module]
    for m in waiting:                            # the first one that is met is enough
        for p in m._parameters.values():
            if p is not None:
                return True
        waiting += [part for part in m._modules.values() if part is not None]
    return False


def closure_in(args: tuple, kwargs: dict[str, Any]) -> Any:
    """The closure that an optimizer's step() was given, or None."""
    return kwargs.get("closure", args[1] if len(args) > 1 else None)


def kinds_of(base: type) -> list[type]:
    """A class and all its subclasses."""
    kinds = [base]
    for kind in kinds:
        kinds += [k for k in kind.__subclasses__() if k not in kinds]
    return kinds


def memory_of(array: np.ndarray) -> np.ndarray:
    """The array that owns the memory `array` is a view of."""
    array = numbers(array)
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


SAMPLED = 1 << 18          # arrays of up to so many bytes are looked at whole


def fingerprint(array: np.ndarray) -> int:
    """A number that (almost surely) changes with the elements; of a large array, with many."""
    array = numbers(array)
    if array.nbytes <= SAMPLED and array.dtype.kind in "fiub" and array.flags.c_contiguous:
        return zlib.crc32(array)                 # type: ignore[arg-type]
    return zlib.crc32(np.ascontiguousarray(sampled(array)).reshape(-1).view(np.uint8))


def sampled(array: np.ndarray) -> np.ndarray:
    """An array, or of a large one some thousand of its elements; nothing large is copied."""
    if array.nbytes <= SAMPLED:
        return array
    if array.flags.forc:
        return array.ravel(order="K")[::max(1, array.size // 4096)]
    share = (array.size / 4096) ** (1 / array.ndim)      # of each dimension every so many
    return array[tuple(slice(None, None, min(int(share) + 1, max(1, n // 2)))
                       for n in array.shape)]


def leaf_memory(graph: Iterable[Node]) -> set[int]:
    """The ids of the arrays that own the memory of the leaves next to these nodes."""
    near = {e for n in graph for e in (n, *n.edges) if isinstance(e, AccumulateGrad)}
    return {id(memory_of(n.variable._data)) for n in near}


def bytes_held(graph: Iterable[Node], own: set[int] | None = None) -> int:
    """The bytes that the saved tensors of these nodes keep alive, each piece of memory once.

    What leaves own (`own`, see leaf_memory) does not count: parameters live without a graph too.
    """
    graph = list(graph)
    own = leaf_memory(graph) if own is None else own
    pieces = {id(whole): whole.nbytes for n in graph for s in saved(n)
              if id(whole := memory_of(s.array)) not in own}
    return sum(pieces.values())


# --------------------------------------------------------------------------- where it was made

def place_of(node: Node) -> Place | None:
    """The line of the user's file that made a node; known for what debug.trace() has seen."""
    note = note_of(node)
    return None if note is None else place(note[0], note[1])


def note_of(node: Node) -> Any:
    """What a trace has noted of a node; of a write through a view, of the operator that wrote."""
    if isinstance(node, CopySlices) and node._saved is not None:
        node._line = getattr(node._saved, "_line", None)         # which a backward pass may free
    return getattr(node, "_line", None)


def call_of(node: Node) -> Call | None:
    """The call of the Module whose forward made a node; known for what debug.trace() has seen."""
    note = note_of(node)
    return None if note is None else note[2]


SPOKEN = {           # what users call, where a node's name does not tell
    "AvgPool2D": "avg_pool2d", "ConstantPadNd": "pad", "Convolution": "conv", "Index": "indexing",
    "LinalgVectorNorm": "norm", "MaxPool2DWithIndices": "max_pool2d", "MkldnnRnnLayer": "rnn",
    "NativeBatchNorm": "batch_norm", "NativeGroupNorm": "group_norm",
    "NativeLayerNorm": "layer_norm", "ReshapeAlias": "reshape", "ToCopy": "to",
    "ScaledDotProductFlashAttentionForCpu": "scaled_dot_product_attention",
    "ThnnFusedLstmCell": "lstm_cell", "fused_gru_cell": "gru_cell", "stepped_layer": "rnn",
}


def operator_name(node: Node) -> str:
    """What the user called: "mul" for MulBackward0, "Exp" for a custom Function of that name."""
    operator: Any = getattr(type(node), "operator", None)
    if operator is not None and (operator.public or operator.name in SPOKEN):
        return SPOKEN.get(operator.name) or operator.name
    function = getattr(node, "_forward_cls", None)
    if function is not None:
        return function.__name__
    short = node.short_name().rpartition(":")[2]
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", short)
    return SPOKEN.get(short) or words.rstrip("0123456789").lower()
