"""torch.onnx.operators.shape_as_tensor."""

from .._symbolic import _shape_as_tensor as shape_as_tensor

__all__ = ["shape_as_tensor"]
