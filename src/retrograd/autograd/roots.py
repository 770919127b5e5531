"""Where a backward pass begins and ends: the arguments of backward() and grad(), checked.

An output becomes a root: the edge to its node, and the gradient that is sent there. An input
becomes a target: the edge at which its gradient arrives. For either a program may give a
GradientEdge (see graph.py) instead of the tensor.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from .._tensor import ON_META, OWN, WRAPPER, Tensor, wrap
from .gradients import NOT_REAL, NOT_SCALAR
from .node import Node, edge
from .walks import nodes_towards


def is_edge(value) -> bool:
    """Whether `value` is a GradientEdge, or has the attributes of one."""
    return hasattr(value, "node") and hasattr(value, "output_nr")


# --------------------------------------------------------------------------- inputs

def as_inputs(inputs, function: str) -> tuple:
    """The `inputs` of grad() or backward() as a tuple of tensors and edges."""
    if isinstance(inputs, Tensor) or is_edge(inputs):
        return (inputs,)
    if inputs.__class__ is not dict and isinstance(inputs, Mapping):
        raise TypeError(f"`inputs` argument to `{function}()` must be a dict, not "
                        f"{type(inputs).__name__}. Other Mapping types are not supported.")
    inputs = tuple(inputs.values()) if inputs.__class__ is dict else tuple(inputs)
    if not inputs:
        raise RuntimeError(f"`inputs` argument to `{function}()` cannot be empty.")
    return inputs


def target_of(t):
    """The edge at which the gradient of the input `t` arrives."""
    if is_edge(t):
        return t.node, t.output_nr
    if not isinstance(t, Tensor):
        raise RuntimeError("all inputs have to be Tensors or GradientEdges, but got "
                           f"{type(t).__name__}")
    e = edge(t)
    if e is None and not t.requires_grad:
        from .explain import with_explanation
        raise RuntimeError(with_explanation(
            "One of the differentiated Tensors does not require grad", "undifferentiated", t))
    return e or (Node(), 0)          # a view without a history of its own: nothing leads to it


def nodes_that_fill(inputs, roots) -> set:
    """The nodes that must run to fill the `.grad` of `inputs` and of nothing else."""
    goals = set()
    for t in inputs:
        if isinstance(t, Tensor):
            t.retain_grad()
        goals.add(target_of(t)[0])
    return nodes_towards(goals, roots) | goals


# --------------------------------------------------------------------------- outputs

def roots_of(outputs, grad_outputs, on_tensors: bool):
    """(the edges that a pass from `outputs` begins at, the gradients that it sends there).

    The gradients are arrays, or Tensors if the pass computes `on_tensors`.
    """
    given = as_tuple(grad_outputs, len(outputs))
    roots, grads = [], []
    for k, t in enumerate(outputs):
        e, g = root_of(k, t, given[k])
        roots.append(e)
        grads.append(g if on_tensors else g._data)
    return roots, grads


def as_tuple(grads, n: int) -> tuple:
    """The gradients given for `n` outputs; None for each where none were given."""
    if grads is None:
        return (None,) * n
    grads = (grads,) if isinstance(grads, Tensor) else tuple(grads)[:n]
    if n != len(grads):
        raise RuntimeError(f"got {n} tensors and {len(grads)} gradients")
    return grads


def root_of(k: int, t, g):
    """The edge of output number `k`, the tensor `t`, and the gradient to send there."""
    if g is None and t.__class__ is Tensor and t._flags == 1:     # most often: nothing to check
        g = implicit_grad(t)
        e = edge(t)
        if e is not None:
            return e, g
    if g is not None and not isinstance(g, Tensor):
        raise TypeError(f"gradients can be either Tensors or None, but got {type(g).__name__}")
    if not isinstance(t, Tensor):
        return root_of_edge(k, t, g)
    if g is not None:
        if g._data.shape != t._data.shape or g._data.dtype != t._data.dtype:
            g = as_output(k, t, g)
    elif t._flags & 1:
        g = implicit_grad(t)
    if g is not None and (t._flags ^ g._flags) & ON_META and (
            t.device is not g.device and (g.is_meta or g._data.ndim)):
        raise RuntimeError(f"invalid gradient at index {k} - expected device {t.device} but got "
                           f"{g.device}")
    e = edge(t)
    if e is None:
        from .explain import not_recorded
        raise not_recorded(t, k)
    return e, g


def root_of_edge(k: int, given, g):
    """The same for output number `k` that was given as an edge; (node, output number) comes back.

    The edge's `ownership_token` knows the shape and dtype of the tensor that it was made of. Where
    it has none, the gradient must be given, and is not checked.
    """
    if not is_edge(given):
        raise AssertionError("Expected output to be a torch.Tensor")
    output = getattr(given, "ownership_token", None)
    if g is None:
        if output is None or output.shape.numel() != 1:
            raise RuntimeError(NOT_SCALAR)
        g = wrap(np.ones(output.shape, output.dtype.np))
    elif output is not None:
        g = as_output(k, output, g)
    return (given.node, given.output_nr), g


def implicit_grad(t) -> Tensor:
    """The gradient 1 of a tensor with one element; RuntimeError for any other, or a complex one."""
    array = t._data
    if array.size != 1:
        from .explain import with_explanation
        raise RuntimeError(with_explanation(NOT_SCALAR, "not_scalar", t))
    if array.dtype.kind == "c":
        raise RuntimeError(NOT_REAL.format(t.dtype))
    if t._flags & (WRAPPER | ON_META):
        from ..ops.public import FUNCTIONS
        return FUNCTIONS["ones_like"](t)
    one = np.array(1, array.dtype)       # np.ones takes four times as long
    return wrap(one.reshape(array.shape) if array.ndim else one)


def as_output(k: int, output, g) -> Tensor:
    """The gradient given for output number `k`, in its dtype; RuntimeError for another shape."""
    if g.shape != output.shape:
        raise RuntimeError(f"Mismatch in shape: grad_output[{k}] has a shape of {g.shape} and "
                           f"output[{k}] has a shape of {output.shape}.")
    if g.dtype is not output.dtype:
        if g.dtype.is_complex != output.dtype.is_complex:
            raise RuntimeError(
                "For complex Tensors, both grad_output and output are required to have the same "
                f"dtype. Mismatch in dtype: grad_output[{k}] has a dtype of {g.dtype} and "
                f"output[{k}] has a dtype of {output.dtype}.")
        return g.to(output.dtype)
    return g


def in_dtype_of(input: Tensor, g: Tensor) -> Tensor:
    """A gradient in its input's dtype; formulas on bfloat16 arrays may compute in float32."""
    if input._grad_dtype is not OWN:
        return g
    return (g.real if g.is_complex() and not input.is_complex() else g).to(input.dtype)
