"""Fake quantization: numbers rounded as quantized tensors would round them, with gradients.

The gradient is that of the identity where the rounded number lies in the range, and zero elsewhere.
"""

from __future__ import annotations

import numpy as np

from .. import _dtype
from .._tensor import Tensor
from . import samples as S
from .declare import F as T
from .declare import op
from .dims import wrap_dim
from .public import public
from .support import need_tensors, number_of


def _identity_inside(F, self, scale, zero_point, quant_min, quant_max):
    edges = ((q - zero_point) * scale for q in (quant_min, quant_max))
    return F.clamp_numbers(self, *edges), None


for _name in ("PerTensorAffineCachemask", "PerTensorAffineCachemaskTensorQparams"):
    _op = "fake_quantize_per_tensor_affine_cachemask" + "_tensor_qparams" * _name.endswith("params")
    op(f"{_op}(self | scale, zero_point, quant_min, quant_max)", f"FakeQuantize{_name}Backward0",
       public=False, outputs=("output", "mask"), nondiff=("mask",),
       samples=S.with_consts(S.singles, 0.31, 2, 0, 7), smooth=_identity_inside,
       self = lambda F, g, mask: g * mask)

op("fake_quantize_per_channel_affine_cachemask"
   "(self | scale*, zero_point*, axis, quant_min, quant_max)",
   "FakeQuantizePerChannelAffineCachemaskBackward0",
   public=False, outputs=("output", "mask"), nondiff=("mask",), samples=list,
   self = lambda F, g, mask: g * mask)


@public(method=False)
def fake_quantize_per_tensor_affine(input, scale, zero_point, quant_min, quant_max):
    """(clamp(round(input / scale) + zero_point, quant_min, quant_max) - zero_point) * scale.

    scale and zero_point are numbers, or both tensors with one element. Raises RuntimeError for a
    zero point that is not a number of the range.

    >>> import retrograd as torch
    >>> x = torch.tensor([-0.2, 0.3, 9.0], requires_grad=True)
    >>> y = torch.fake_quantize_per_tensor_affine(x, 0.5, 1, 0, 7)
    >>> y
    tensor([0.0000, 0.5000, 3.0000],
           grad_fn=<FakeQuantizePerTensorAffineCachemaskBackward0>)
    >>> torch.autograd.grad(y.sum(), x)
    (tensor([1., 1., 0.]),)
    """
    need_tensors("fake_quantize_per_tensor_affine", input)
    quantize = T.fake_quantize_per_tensor_affine_cachemask
    if not (isinstance(scale, Tensor) and isinstance(zero_point, Tensor)):
        scale, zero_point = number_of(scale, "scale"), number_of(zero_point, "zero_point")
    else:
        quantize = T.fake_quantize_per_tensor_affine_cachemask_tensor_qparams
        _not_differentiable("_fake_quantize_per_tensor_affine_cachemask_tensor_qparams",
                            scale, zero_point)
        scale, zero_point = scale.item(), int(zero_point.item())
    _check_dtype(input, "fake_quantize_tensor_cachemask_kernel_type_handling")
    _check_range(quant_min, quant_max, np.array(zero_point))
    return quantize(input, scale, zero_point, quant_min, quant_max)[0]


@public(method=False)
def fake_quantize_per_channel_affine(input, scale, zero_point, axis, quant_min, quant_max):
    """fake_quantize_per_tensor_affine with a scale and a zero point for each slice along `axis`.

    A zero point in floats is added before rounding and may lie outside the range.

    >>> import retrograd as torch
    >>> scale, zero = torch.tensor([1.0, 0.1]), torch.zeros(2, dtype=torch.int32)
    >>> torch.fake_quantize_per_channel_affine(torch.full((2, 2), 0.74), scale, zero, 0, -8, 7)
    tensor([[1.0000, 1.0000],
            [0.7000, 0.7000]])

    Raises RuntimeError for parameters whose dtype, size or range does not fit.
    """
    need_tensors("fake_quantize_per_channel_affine", input, scale=scale, zero_point=zero_point)
    _not_differentiable("fake_quantize_per_channel_affine_cachemask", scale, zero_point)
    s, z = scale._data, zero_point._data
    if s.dtype.name not in ("float32", "bfloat16"):
        raise RuntimeError(f"Scale must be Float or BFloat16, found {scale.dtype.tensor_name}")
    if z.dtype.name not in ("int32", "float32", "float16"):
        raise RuntimeError("Zero-point must be Int32, Float or Half, found "
                           f"{zero_point.dtype.tensor_name}")
    for name, array in (("scale", s), ("zero point", z)):
        if array.ndim != 1:
            raise RuntimeError(f"{name} should be a 1-D tensor")
    if s.size != z.size:
        raise RuntimeError("scale and zero-point need to have the same dimensions")
    size = input.shape[wrap_dim(axis, input.ndim)]
    if size != s.size:
        raise RuntimeError("dimensions of scale and zero-point are not consistent with input "
                           "tensor")
    _check_range(quant_min, quant_max, z if z.dtype.kind == "i" else np.empty(0))
    if axis < 0:
        raise RuntimeError("`axis` must be between 0 and number of dimensions of input")
    _check_dtype(input, "fake_quantize_channel_cachemask_cpu_type_handling")
    return T.fake_quantize_per_channel_affine_cachemask(input, s, z, axis, quant_min, quant_max)[0]


def _not_differentiable(name, scale, zero_point):
    for argument, t in (("scale", scale), ("zero_point", zero_point)):
        if t.requires_grad:
            raise RuntimeError(f"The function '{name}' is not differentiable with respect to "
                               f"argument '{argument}'. This input cannot have requires_grad True.")


def _check_dtype(input, kernel):
    d = _dtype.of(input._data)
    if not d.is_floating_point:
        raise NotImplementedError(f'"{kernel}" not implemented for \'{d.tensor_name}\'')


def _check_range(quant_min, quant_max, zero_points):
    if quant_min > quant_max:
        raise RuntimeError("`quant_min` should be less than or         equal to `quant_max`.")
    if ((zero_points < quant_min) | (zero_points > quant_max)).any():
        raise RuntimeError("`zero_point` must be between `quant_min` and `quant_max`.")
