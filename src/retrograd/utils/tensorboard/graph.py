"""A module's operators, for TensorBoard's Graphs page."""

from __future__ import annotations

import operator
from typing import Any

from ... import fx
from ..._tensor import Tensor
from ...fx.passes.shape_prop import ShapeProp


def graph_of(model: Any, inputs: tuple) -> Any:
    """A GraphDef: a node for each input, layer and function that `model(*inputs)` goes through.

    The modules on the way to a layer are the boxes it lies in. Raises what torch.fx raises for a
    model whose course depends on its input.
    """
    from tensorboard.compat.proto import graph_pb2, node_def_pb2, versions_pb2

    traced = fx.symbolic_trace(model)
    ShapeProp(traced).propagate(*inputs)
    modules = dict(model.named_modules())
    root, nodes, names = type(model).__name__, [], {}
    for node in traced.graph.nodes:
        kind, name = _described(node, modules)
        names[node] = f"{root}/{name}"
        nodes.append(node_def_pb2.NodeDef(
            name=names[node], op=kind, attr=_shape(node),
            input=[names[given] for given in node.all_input_nodes]))
    return graph_pb2.GraphDef(node=nodes, versions=versions_pb2.VersionDef(producer=22))


def _described(node: Any, modules: dict[str, Any]) -> tuple[str, str]:
    """What a node of torch.fx computes, and its name below the model's."""
    if node.op == "call_module":
        path = node.target.split(".")
        outer = [".".join(path[:n]) for n in range(1, len(path) + 1)]
        boxes = [f"{type(modules[p]).__name__}[{p.rpartition('.')[2]}]" for p in outer]
        return type(modules[node.target]).__name__, "/".join([*boxes, node.name])
    if node.op in ("placeholder", "output"):
        return "IO Node", f"{node.op[:6].replace('placeh', 'input')}/{node.name}"
    if node.op == "get_attr":
        return "Parameter", node.name
    called = node.target if isinstance(node.target, str) else node.target.__name__
    return "getitem" if node.target is operator.getitem else called, node.name


def _shape(node: Any) -> dict[str, Any]:
    """The sizes of a node's result, where that is one tensor."""
    from tensorboard.compat.proto import attr_value_pb2, tensor_shape_pb2

    known = node.meta.get("tensor_meta")
    if known is None or not hasattr(known, "shape"):
        return {}
    dims = [tensor_shape_pb2.TensorShapeProto.Dim(size=n) for n in known.shape]
    shapes = attr_value_pb2.AttrValue.ListValue(
        shape=[tensor_shape_pb2.TensorShapeProto(dim=dims)])
    return {"_output_shapes": attr_value_pb2.AttrValue(list=shapes)}


def as_inputs(inputs: Any) -> tuple:
    """What add_graph was given for the model's arguments, as a tuple of them."""
    return (inputs,) if isinstance(inputs, (Tensor, dict)) else tuple(inputs)
