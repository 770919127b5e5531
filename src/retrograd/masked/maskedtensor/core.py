"""torch.masked.MaskedTensor: a tensor some of whose elements are masked out.

It is a wrapper tensor (see ops/wrapped.py) of data and a mask, True where there is an element.
Elementwise operators compute on the data and keep the mask, operators that move elements move
both, and reductions are those of torch.masked. Every other operator is refused, as in PyTorch.
Reductions are differentiated on plain tensors, into which `_Values` and from which `_Masked` lead.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import retrograd as torch

from ..._tensor import Tensor
from ..._torch_function import Disabled
from ...autograd.function import Function

__all__ = ["MaskedTensor", "is_masked_tensor"]

UNARY = frozenset("""
    abs absolute acos acosh angle arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh
    bitwise_not ceil clamp clip conj_physical cos cosh deg2rad digamma erf erfc erfinv exp exp2
    expm1 fix floor frac i0 isnan lgamma log log10 log1p log2 logit nan_to_num neg negative positive
    pow rad2deg reciprocal round rsqrt sgn sigmoid sign signbit sin sinc sinh sqrt square tan tanh
    trunc""".split())
BINARY = frozenset("""
    add arctan2 atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor div
    divide eq floor_divide fmax fmin fmod ge greater greater_equal gt le less less_equal logaddexp
    logaddexp2 lt maximum minimum mul multiply ne nextafter not_equal remainder rsub sub subtract
    true_divide""".split())
MOVES = frozenset("""
    _reshape_alias _unsafe_view alias cat clone col2im detach expand im2col index put_back select
    select_backward slice slice_backward split stack t transpose unfold unfold_backward unsqueeze
    view""".split())        # put_back: the gradient of select and slice
DATA_ALONE = frozenset(("_to_copy", "ones_like"))       # the mask stays
REDUCTIONS = frozenset("sum mean amin amax argmin argmax prod all norm var std".split())
PROTOTYPE = ("The PyTorch API of MaskedTensors is in prototype stage and will change in the near "
             "future. Please open a Github issue for features requests and see our documentation "
             "on the torch.masked module for further information about the project.")


class MaskedTensor(Tensor):
    """`data` where `mask` is True; made by `masked_tensor` and `as_masked_tensor`.

    Operators on two of them require equal masks. No result and no gradient depends on elements that
    the mask leaves out.

    >>> import retrograd as torch
    >>> import warnings; warnings.simplefilter("ignore")   # PyTorch calls them a prototype
    >>> mask = torch.tensor([True, False, True])
    >>> torch.masked.masked_tensor(torch.tensor([1., 2., 3.]), mask).sum()
    MaskedTensor(  4.0000, True)
    """

    _masked_data: Tensor
    _masked_mask: Tensor

    @staticmethod
    def __new__(cls, data: Any, mask: Any, requires_grad: bool = False) -> MaskedTensor:
        _check(data, mask)
        made = Tensor._make_wrapper_subclass(
            cls, data.size(), strides=data.stride(), dtype=data.dtype, requires_grad=requires_grad)
        made._masked_data, made._masked_mask = data.detach(), mask.detach()
        return made

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs, name = kwargs or {}, getattr(func, "__name__", "")
        if name in REDUCTIONS and isinstance(args[0], MaskedTensor):
            return _reduced(name, *args, **kwargs)
        if name == "softmax" and isinstance(args[0], MaskedTensor):
            return _softmax(*args, **kwargs)
        if name == "where" and len(args) == 3 and not isinstance(args[0], MaskedTensor):
            return _Where.apply(*args)
        with Disabled():
            return func(*args, **kwargs)

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = func.overloadpacket.__name__
        plain = name.rstrip("_") if not name.startswith("_") else name
        if plain in UNARY | BINARY or plain.endswith("_backward") and plain not in MOVES:
            mask = _one_mask(args)
            data = func(*_each(args, _data), **kwargs)
            return args[0] if plain != name else _made(data, mask)
        if name in MOVES:
            return _made(func(*_each(args, _data), **kwargs), func(*_each(args, _mask), **kwargs))
        if name in DATA_ALONE:
            return _made(func(*_each(args, _data), **kwargs), _one_mask(args))
        if name == "sum":                   # of a gradient, over the dimensions that were broadcast
            x, dims, keepdim = (*args, None, False)[:3] if len(args) == 1 else (*args, False)[:3]
            return MaskedTensor(torch.masked.sum(x.get_data(), dims, keepdim=keepdim,
                                                 mask=x.get_mask()),
                                _any(x.get_mask(), dims, keepdim))
        if name == "_local_scalar_dense":
            return args[0].get_data().item() if args[0].get_mask().item() else float("nan")
        return NotImplemented

    def get_data(self) -> Tensor:
        """The data, including the elements that the mask leaves out."""
        values: Any = _Values.apply(self)
        return values

    def get_mask(self) -> Tensor:
        """True where there is an element."""
        return self._masked_mask

    def to_tensor(self, value: Any) -> Tensor:
        """A plain tensor with `value` where there is no element.

        >>> import retrograd as torch
        >>> mask = torch.tensor([True, False])
        >>> torch.masked.MaskedTensor(torch.tensor([1., 2.]), mask).to_tensor(0.)
        tensor([1., 0.])
        """
        return self.get_data().masked_fill(~self._masked_mask, value)

    def tolist(self) -> Any:
        raise RuntimeError(".tolist() is not supported for tensor subclasses, got MaskedTensor")

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        data, mask = self._masked_data, self._masked_mask
        if not self.ndim:
            value = _element(data.item(), data.is_floating_point()) if mask.item() else "--"
            return f"MaskedTensor({value}, {mask.item()})"
        lines = "\n".join("  " + line for line in _lines(data, mask).split("\n"))
        return f"MaskedTensor(\n{lines}\n)"


MaskedTensor.__module__ = "torch.masked.maskedtensor.core"


def _check(data: Any, mask: Any) -> None:
    for name, t in (("data", data), ("mask", mask)):
        if not isinstance(t, Tensor) or isinstance(t, MaskedTensor):
            raise TypeError(f"{name} must be a Tensor")
    if data.is_sparse or data.layout is not torch.strided or mask.layout is not torch.strided:
        raise NotImplementedError("MaskedTensor: sparse data")
    if mask.dtype is not torch.bool:
        raise TypeError("mask must have dtype bool.")
    if data.dtype.is_complex:
        raise TypeError(f"{data.dtype} is not supported in MaskedTensor.")
    if data.dim() != mask.dim():
        raise ValueError("data.dim() must equal mask.dim()")
    if data.size() != mask.size():
        raise ValueError("data.size() must equal mask.size()")


# --------------------------------------------------------------------------- making them

def masked_tensor(data: Any, mask: Any, requires_grad: bool = False) -> MaskedTensor:
    """A MaskedTensor of copies of data and mask: a leaf without their history.

    >>> import retrograd as torch
    >>> import warnings; warnings.simplefilter("ignore", UserWarning)   # it is a prototype
    >>> x = torch.masked.masked_tensor(torch.tensor([1., 2., 3.]),
    ...                                torch.tensor([True, False, True]), requires_grad=True)
    >>> x.sum().backward()
    >>> x.grad
    MaskedTensor(
      [  1.0000,       --,   1.0000]
    )

    Raises TypeError and ValueError for a mask that is not of bools or not of data's shape.
    """
    _check(data, mask)
    warnings.warn(PROTOTYPE, UserWarning, stacklevel=2)
    if data.requires_grad:
        warnings.warn("It is not recommended to create a MaskedTensor with a tensor that requires_"
                      "grad. To avoid this, you can use data.detach().clone()", UserWarning,
                      stacklevel=2)
    return MaskedTensor(data.detach().clone(), mask.clone(), requires_grad)


def as_masked_tensor(data: Any, mask: Any) -> Any:
    """A MaskedTensor of data, to which gradients flow back as MaskedTensors.

    Raises TypeError and ValueError for a mask that is not of bools or not of data's shape.

    >>> import retrograd as torch
    >>> import warnings; warnings.simplefilter("ignore")   # it is a prototype
    >>> torch.masked.as_masked_tensor(torch.tensor([1., 2.]), torch.tensor([True, False]))
    MaskedTensor(
      [  1.0000,       --]
    )
    """
    _check(data, mask)
    warnings.warn(PROTOTYPE, UserWarning, stacklevel=2)
    return _Masked.apply(data, mask, True)


def is_masked_tensor(obj: Any, /) -> bool:
    """Whether `obj` is a MaskedTensor.

    >>> import retrograd as torch
    >>> torch.masked.is_masked_tensor(torch.ones(2))
    False
    """
    return isinstance(obj, MaskedTensor)


class _Values(Function):
    """A MaskedTensor's data; its gradient is a MaskedTensor again."""

    @staticmethod
    def forward(ctx: Any, x: MaskedTensor) -> Tensor:
        ctx.mask = x._masked_mask
        return x._masked_data.detach()

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return _made(_data(grads[0]), ctx.mask)


class _Masked(Function):
    """Data as a MaskedTensor; with `outside` its gradient is a MaskedTensor, too."""

    @staticmethod
    def forward(ctx: Any, data: Tensor, mask: Tensor, outside: bool) -> MaskedTensor:
        ctx.outside = outside
        return MaskedTensor(data, mask)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        g = grads[0]
        if not ctx.outside and isinstance(g, MaskedTensor):
            g = g.to_tensor(0)
        return g, None, None


class _Where(Function):
    """where() of MaskedTensors, whose masks need not be equal: each element comes with its own."""

    @staticmethod
    def forward(ctx: Any, condition: Tensor, a: Any, b: Any) -> Any:
        ctx.condition, ctx.masks = condition, [_mask(t) for t in (a, b)]
        return _made(torch.where(condition, _data(a), _data(b)), torch.where(condition, *ctx.masks))

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        g = _data(grads[0])
        parts = torch.where(ctx.condition, g, 0), torch.where(ctx.condition, 0, g)
        return None, *(_made(part, mask) if isinstance(mask, Tensor) else None
                       for part, mask in zip(parts, ctx.masks, strict=True))


# --------------------------------------------------------------------------- operators

def _data(x: Any) -> Any:
    return x._masked_data if isinstance(x, MaskedTensor) else x


def _mask(x: Any) -> Any:
    return x._masked_mask if isinstance(x, MaskedTensor) else (
        torch.ones_like(x, dtype=torch.bool) if isinstance(x, Tensor) else x)


def _each(args: Any, part: Callable) -> list:
    return [[*map(part, a)] if isinstance(a, list) else part(a) for a in args]


def _made(data: Any, mask: Any) -> Any:
    if isinstance(data, (tuple, list)):
        return type(data)([_made(d, m) for d, m in zip(data, mask, strict=True)])
    return MaskedTensor(data, mask.expand(data.shape))


def _masks_match(a: Any, b: Any) -> bool:
    """Whether two masks, or those of two MaskedTensors, are equal."""
    a, b = (t.get_mask() if is_masked_tensor(t) else t for t in (a, b))
    return torch.equal(a, b)


def _tensors_match(a: Any, b: Any, exact: bool = True, rtol: float = 1e-5,
                   atol: float = 1e-8) -> bool:
    """Whether two tensors without masks have a dtype and, `exact` or nearly, the same numbers."""
    if is_masked_tensor(a) or is_masked_tensor(b):
        raise ValueError("Neither `a` nor `b` can be a MaskedTensor.")
    if a.dtype is not b.dtype or a.shape != b.shape:
        return False
    return torch.equal(a, b) if exact else torch.allclose(a, b, rtol=rtol, atol=atol)


def _one_mask(args: Any) -> Tensor:
    """The mask of all MaskedTensors among the arguments; ValueError if they differ."""
    masks = [a._masked_mask for a in args if isinstance(a, MaskedTensor)]
    shape = torch.broadcast_shapes(*(a.shape for a in args if isinstance(a, Tensor)))
    first, *others = [mask.expand(shape) for mask in masks]
    if not all(_masks_match(first, other) for other in others):
        raise ValueError("Input masks must match. If you need support for this, please open an "
                         "issue on Github.")
    return first


def _any(mask: Tensor, dim: Any, keepdim: bool) -> Tensor:
    return mask.any() if dim is None else mask.any(dim, keepdim)


def _reduced(name: str, x: MaskedTensor, dim: Any = None, keepdim: bool = False,
             **options: Any) -> Any:
    """A reduction of torch.masked; there is a result where there was an element."""
    mask = x.get_mask()
    if name == "all":
        data = (x.get_data().bool() | ~mask)
        data = data.all() if dim is None else data.all(dim, keepdim)
    else:
        data = getattr(torch.masked, name)(x.get_data(), dim=dim, keepdim=keepdim, mask=mask,
                                           **options)
    kept = _any(mask, dim, keepdim)
    return _Masked.apply(data, kept.expand(data.shape), False)


def _softmax(x: MaskedTensor, dim: Any, dtype: Any = None, **options: Any) -> Any:
    data = torch.masked.softmax(x.get_data(), dim, dtype=dtype, mask=x.get_mask())
    return _Masked.apply(data, x.get_mask(), False)


# --------------------------------------------------------------------------- printing

def _element(value: Any, floating: bool) -> str:
    return f"{value:8.4f}" if floating else str(value)


def _lines(data: Tensor, mask: Tensor) -> str:
    if data.ndim == 1:
        floating = data.is_floating_point()
        shown = [_element(value, floating) if there else "      --"
                 for value, there in zip(data.tolist(), mask.tolist(), strict=True)]
        return f"[{', '.join(shown)}]"
    parts = [_lines(d, m) for d, m in zip(data, mask, strict=True)]
    inside = ",\n".join(parts).replace("\n", "\n  ")
    return f"[\n  {inside}\n]"
