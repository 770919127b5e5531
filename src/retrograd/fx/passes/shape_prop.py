"""ShapeProp: notes the shape and dtype of every Node's result."""

from __future__ import annotations

from typing import Any, NamedTuple

import retrograd as torch

from ..interpreter import Interpreter
from ..node import Node, map_aggregate

__all__ = ["ShapeProp", "TensorMetadata"]


class TensorMetadata(NamedTuple):
    """The shape, dtype and layout of a Tensor."""

    shape: torch.Size
    dtype: torch.dtype
    requires_grad: bool
    stride: tuple[int, ...]
    memory_format: Any
    is_quantized: bool
    qparams: dict


def _metadata(value: Any) -> Any:
    if not isinstance(value, torch.Tensor):
        return value
    return TensorMetadata(value.shape, value.dtype, value.requires_grad, value.stride(),
                          torch.contiguous_format if value.is_contiguous() else None, False, {})


class ShapeProp(Interpreter):
    """Runs a GraphModule and keeps `node.meta["tensor_meta"]` and `node.meta["type"]`.

    >>> import retrograd as torch
    >>> from retrograd.fx.passes.shape_prop import ShapeProp
    >>> traced = torch.fx.symbolic_trace(lambda x: x.flatten(1))
    >>> _ = ShapeProp(traced).propagate(torch.ones(2, 3, 4))
    >>> [tuple(node.meta["tensor_meta"].shape) for node in traced.graph.nodes]
    [(2, 3, 4), (2, 12), (2, 12)]
    """

    def run_node(self, n: Node) -> Any:
        result = super().run_node(n)
        tensors: list = []
        map_aggregate(result, lambda v: tensors.append(v) if isinstance(v, torch.Tensor) else None)
        if tensors:
            n.meta["tensor_meta"] = map_aggregate(result, _metadata)
        n.meta["type"] = type(result)
        return result

    def propagate(self, *args: Any) -> Any:
        """Run with these arguments."""
        return super().run(*args)
