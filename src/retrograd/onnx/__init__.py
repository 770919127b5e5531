"""torch.onnx: programs may ask whether they are being exported; they never are."""

from __future__ import annotations

from enum import IntEnum
from typing import Any, NoReturn

from .._refused import refused

__all__ = ["OnnxExporterError", "export", "is_in_onnx_export"]


class OnnxExporterError(RuntimeError):
    """An export that failed."""


class OperatorExportTypes(IntEnum):
    """How an export would treat operators that ONNX does not have."""

    ONNX, ONNX_ATEN, ONNX_ATEN_FALLBACK, ONNX_FALLTHROUGH = range(4)


class TrainingMode(IntEnum):
    """The mode in which an export would run the model."""

    EVAL, PRESERVE, TRAINING = range(3)


def is_in_onnx_export() -> bool:
    """False."""
    return False


def export(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises NotImplementedError."""
    raise NotImplementedError("torch.onnx.export: retrograd does not write ONNX files; save the "
                              "state_dict with torch.save and export it with PyTorch")


def register_custom_op_symbolic(symbolic_name: str, symbolic_fn: Any, opset_version: int) -> None:
    """Kept nowhere: nothing is exported."""


def __getattr__(name: str) -> Any:
    if name not in ("ExportableModule", "JitScalarType", "ONNXProgram", "TensorProtoDataType",
                    "errors", "symbolic_helper", "unregister_custom_op_symbolic", "utils"):
        raise AttributeError(f"module 'torch.onnx' has no attribute {name!r}")
    return refused("torch.onnx", name)
