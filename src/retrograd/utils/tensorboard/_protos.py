"""The messages of the tensorboard package, which is imported when the first one is made."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def tensorboard(module: str) -> Any:
    """A module of the tensorboard package; ImportError says what to install."""
    try:
        return import_module(f"tensorboard.{module}")
    except ImportError as error:
        raise ImportError(
            "torch.utils.tensorboard needs the package tensorboard: pip install tensorboard"
        ) from error


def summary_of(tag: str, **value: Any) -> Any:
    """A Summary of one value."""
    summary = tensorboard("compat.proto.summary_pb2").Summary
    return summary(value=[summary.Value(tag=tag, **value)])


def plugin(name: str, content: bytes = b"") -> Any:
    """What tells TensorBoard which of its parts shows a value."""
    metadata = tensorboard("compat.proto.summary_pb2").SummaryMetadata
    return metadata(plugin_data=metadata.PluginData(plugin_name=name, content=content))


def tensor_of(dtype: str, shape: Any, **values: Any) -> Any:
    """A TensorProto with these numbers or texts."""
    proto = tensorboard("compat.proto.tensor_pb2").TensorProto(dtype=dtype, **values)
    proto.tensor_shape.SetInParent()
    for size in shape:
        proto.tensor_shape.dim.add(size=size)
    return proto
