"""Comparisons, the larger and the smaller, clamping and choosing.

A gradient goes to the element that was chosen. Where both are equal PyTorch has rules: maximum and
minimum give half to each side (`winner`), fmax and fmin all to the first, clamp all to its input,
which includes the bounds. Comparisons give bools, and no gradient flows through them.
"""

from __future__ import annotations

import operator

import numpy as np

from .. import kernels as K
from .._callers import written
from .._dtype import can_cast, float64, of_number
from .._meta import META_ITEM
from .._tensor import ON_META, WRAPPER, Tensor, wrap
from .._warnings import warn_once
from ..autograd.views import leaf_first
from ..kernels.checks import check_broadcast
from ..kernels.half import is_half
from . import samples as S
from .arguments import NUMBERS, invalid_combination, listed_signatures, must_be
from .convert import result_type
from .declare import F as T
from .declare import composite, op
from .factory import check_number, fitting
from .formulas import both, or_zero, winner
from .mapped import elementwise, is_batched, refuse_dynamic
from .mistyped import of_call
from .out import fill_checked
from .public import alias, method, public
from .support import need_tensors, number, operand, plain

# --------------------------------------------------------------------------- larger, smaller

op("maximum(self, other)", "MaximumBackward0", broadcasts=True, samples=S.pairs,
    self  = lambda F, g, self, other: winner(F, g, self, other, operator.lt),
    other = lambda F, g, self, other: winner(F, g, other, self, operator.lt),
    jvp   = lambda F, self, other, self_t, other_t:
                both(winner(F, self_t, self, other, operator.lt),
                     winner(F, other_t, other, self, operator.lt)))

op("minimum(self, other)", "MinimumBackward0", broadcasts=True, samples=S.pairs,
    self  = lambda F, g, self, other: winner(F, g, self, other, operator.gt),
    other = lambda F, g, self, other: winner(F, g, other, self, operator.gt),
    jvp   = lambda F, self, other, self_t, other_t:
                both(winner(F, self_t, self, other, operator.gt),
                     winner(F, other_t, other, self, operator.gt)))

op("fmax(self, other)", "FmaxBackward0", broadcasts=True, samples=S.pairs,
    self  = lambda F, g, self, other: F.where((self >= other) | F.isnan(other), g, 0),
    other = lambda F, g, self, other: F.where((self >= other) | F.isnan(other), 0, g),
    jvp   = lambda F, self, other, self_t, other_t:
                F.where((self >= other) | F.isnan(other), or_zero(self_t),
                        or_zero(other_t)))

op("fmin(self, other)", "FminBackward0", broadcasts=True, samples=S.pairs,
    self  = lambda F, g, self, other: F.where((self <= other) | F.isnan(other), g, 0),
    other = lambda F, g, self, other: F.where((self <= other) | F.isnan(other), 0, g),
    jvp   = lambda F, self, other, self_t, other_t:
                F.where((self <= other) | F.isnan(other), or_zero(self_t),
                        or_zero(other_t)))

# --------------------------------------------------------------------------- clamping

op("clamp_numbers(self | min, max)", "ClampBackward1", inplace=True, public=False,
    samples=lambda: [(a, *bounds) for a, in S.singles()
                     for bounds in ((-0.5, 0.5), (None, 0.3), (0.1, None))],
    self = lambda F, g, self, min, max: F.where(inside(self, min, max), g, 0),
    jvp  = "elementwise")

op("clamp_min_number(self | min)", "ClampMinBackward0", inplace=True, public=False,
    samples=S.with_consts(S.singles, 0.1),
    self = lambda F, g, self, min: F.where(self >= min, g, 0),
    jvp  = "elementwise")

op("clamp_max_number(self | max)", "ClampMaxBackward0", inplace=True, public=False,
    samples=S.with_consts(S.singles, 0.1),
    self = lambda F, g, self, max: F.where(self <= max, g, 0),
    jvp  = "elementwise")

for _name, _grad_fn, _shown in (("clamp_min_tensor", "ClampMinBackward1", None),
                                ("clamp_low", "ClampBackward0", (0, 1, None))):
    op(f"{_name}(self, min)", _grad_fn, broadcasts=True, inplace=True, public=False,
       samples=S.pairs, shown=_shown,
       self = lambda F, g, self, min: F.where(self >= min, g, 0),
       min  = lambda F, g, self, min: F.where(self < min, g, 0),
       jvp  = lambda F, self, min, self_t, min_t:
                  F.where(self >= min, or_zero(self_t), or_zero(min_t)))

for _name, _grad_fn, _shown in (("clamp_max_tensor", "ClampMaxBackward1", None),
                                ("clamp_high", "ClampBackward0", (0, None, 1))):
    op(f"{_name}(self, max)", _grad_fn, broadcasts=True, inplace=True, public=False,
       samples=S.pairs, shown=_shown,
       self = lambda F, g, self, max: F.where(self <= max, g, 0),
       max  = lambda F, g, self, max: F.where(self > max, g, 0),
       jvp  = lambda F, self, max, self_t, max_t:
                  F.where(self <= max, or_zero(self_t), or_zero(max_t)))

op("clamp_between(self, min, max)", "ClampBackward0", broadcasts=True, inplace=True, public=False,
    samples=S.triples,
    self = lambda F, g, self, min, max: F.where((self >= min) & (self <= max), g, 0),
    min  = lambda F, g, self, min, max: F.where((min < max) & (self < min), g, 0),
    max  = lambda F, g, self, min, max: F.where((self > max) | (max < min), g, 0),
    jvp  = lambda F, self, min, max, self_t, min_t, max_t:
               both(masked(F, (self >= min) & (self <= max), self_t),
                    both(masked(F, (min < max) & (self < min), min_t),
                         masked(F, (self > max) | (max < min), max_t))))

op("where(condition, self, other)", "WhereBackward0", broadcasts=True, masks=("condition",),
    public=False, samples=lambda: [(a > 0, b, c) for a, b, c in S.triples()],
    self  = lambda F, g, condition: F.where(condition, g, 0),
    other = lambda F, g, condition: F.where(condition, 0, g),
    jvp   = lambda F, condition, self, other, condition_t, self_t, other_t:
                F.where(condition, or_zero(self_t), or_zero(other_t)))


def inside(x, low, high):
    """Where x lies within the bounds (None: no bound)."""
    if low is None:
        return x <= high
    return x >= low if high is None else (x >= low) & (x <= high)


def masked(F, mask, t):
    return None if t is None else F.where(mask, t, 0)


# --------------------------------------------------------------------------- comparisons

# In place, a comparison overwrites `self` with 0 and 1, and no gradient flows through it.
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    op(f"{_name}(self, other)", f"{_name.capitalize()}Backward1", broadcasts=True, inplace=True,
       nondiff=("result",), samples=S.pairs,
       of_numbers={"other": f"{_name.capitalize()}Backward0"},
       self  = lambda F, g: F.zeros_like(g),
       other = lambda F, g: F.zeros_like(g))
for _name in ("logical_and", "logical_or", "logical_xor"):
    op(f"{_name}(self, other)", broadcasts=True, inplace=True, samples=S.pairs)
op("logical_not(self)", inplace=True, samples=S.singles)

for _new, _old in (("less", "lt"), ("less_equal", "le"), ("greater", "gt"), ("greater_equal", "ge"),
                   ("not_equal", "ne")):
    alias(_new, _old)
    alias(_new + "_", _old + "_")


@composite
def same(a, b):
    """Where a equals b; nan equals nan."""
    if (a._flags | b._flags) & WRAPPER:
        return (a == b) | (a != a) & (b != b)
    return wrap(np.asarray(K.same(a._data, b._data)))


@composite
def mask_as(mask, like):
    """A mask as zeros and ones of the real dtype of `like`."""
    if mask._flags & WRAPPER:
        return T.cast(mask, np.empty(0, like._data.dtype).real.dtype)
    return wrap(K.mask_as(mask._data, like._data))


# --------------------------------------------------------------------------- public functions

def _check_clamp(input, low, high):
    if low is None and high is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    if input._data.dtype.kind == "c":
        raise NotImplementedError("clamp is not supported for complex types")


@public
def clamp(input, min=None, max=None, *, out=None):
    """Each element limited to [min, max]: `minimum(maximum(input, min), max)`.

    The bounds are numbers or tensors, which broadcast; one of them may be None. The gradient of the
    input passes where min <= input <= max, bounds included. Raises RuntimeError without a bound.

    >>> import retrograd as torch
    >>> torch.clamp(torch.tensor([-2., 0.5, 9.]), 0, 1)
    tensor([0.0000, 0.5000, 1.0000])
    """
    res = _clamp(T, "", input, min, max)
    if isinstance(out, Tensor) and out.dtype is not res.dtype and not (
            isinstance(min, Tensor) or isinstance(max, Tensor)):
        raise RuntimeError(f"Found dtype {out.dtype.tensor_name} but expected "
                           f"{res.dtype.tensor_name}")
    return res if out is None else fill_checked("clamp", out, res, input, min, max)


@method
def clamp_(self, min=None, max=None):
    """`clamp` in place: writes into self and returns it.

    The shape and dtype of self stay. Raises what `clamp` raises, and RuntimeError where self cannot
    hold the result or is a leaf that requires grad while recording is on.

    >>> import retrograd as torch
    >>> torch.tensor([-1., 5.]).clamp_(0, 1)
    tensor([0., 1.])
    """
    return written(_clamp(T, "_", self, min, max), "clamp_")


def _clamp(T, suffix, input, low, high):
    """clamp(), or with the suffix "_" clamp_(): by the operator for bounds of these kinds."""
    if (low.__class__ in OPTIONAL_NUMBER and high.__class__ in OPTIONAL_NUMBER
            and low is not high and input._data.dtype.kind == "f"      # low is high: both are None
            and (low is None or -6e4 < low < 6e4) and (high is None or -6e4 < high < 6e4)):
        return getattr(T, "clamp_numbers" + suffix)(input, low, high)
    if suffix and low is high is None:
        leaf_first(input)
    _check_clamp(input, low, high)
    tensors = isinstance(low, Tensor) + isinstance(high, Tensor)
    if tensors == 1 and low is not None and high is not None:
        low, high, tensors = *_numbers(suffix, input, low, high), 0
    if not tensors:
        low, high = bound(low, input), bound(high, input)
        kernel = "clamp_min" if high is None else "clamp_max" if low is None else "clamp"
        _check_bools(kernel, input, low, high)
        if suffix:
            _check_kind(input, low, high)
        return getattr(T, "clamp_numbers" + suffix)(input, low, high)
    if high is None:
        return getattr(T, "clamp_low" + suffix)(input, low)
    if low is None:
        return getattr(T, "clamp_high" + suffix)(input, high)
    return getattr(T, "clamp_between" + suffix)(input, operand(low), operand(high))


def _check_kind(self, *bounds):
    """Raise if numbers as bounds give results of a kind that `self` cannot hold."""
    if self._data.dtype.kind == "f":                  # these hold what a number gives
        bounds = [b for b in bounds if b.__class__ not in OPTIONAL_NUMBER]
    for b in bounds:
        if b is not None and not can_cast(dtype := result_type(self, b), self.dtype):
            raise RuntimeError(f"result type {dtype.tensor_name} can't be cast to the desired "
                               f"output type {self.dtype.option_name}")


def _check_bools(kernel, input, *bounds):
    """Raise where PyTorch has no kernel: if all are bools."""
    if input._data.dtype.kind == "b" and all([b is None or b.__class__ is bool for b in bounds]):
        raise NotImplementedError(f'"{kernel}_scalar_cpu" not implemented for \'Bool\'')


def _one_bound(kernel, value, input):
    """The number that clamp_min() or clamp_max() was given."""
    _check_bools(kernel, input, value)
    if value.__class__ is complex:
        raise NotImplementedError("clamp is not supported for complex types")
    return bound(value, input)


def _one_bound_(kernel, value, self):
    """The number that clamp_min_() or clamp_max_() was given."""
    value = _one_bound(kernel, value, self)
    _check_kind(self, value)
    return value


def _numbers(suffix, input, *bounds):
    """A number and a tensor without dimensions as numbers; TypeError for any other tensor."""
    if any(isinstance(b, Tensor) and (b._data.ndim or b._flags & 1) for b in bounds):
        name = "clamp" + suffix
        raise of_call(invalid_combination(name, (input, *bounds), {}, listed_signatures(name)))
    return [b.item() if isinstance(b, Tensor) else b for b in bounds]


OPTIONAL_NUMBER = (float, int, type(None))


def bound(value, input):
    """A bound of clamp() as a number. An integer tensor with a float bound gives floats."""
    if value is None or value.__class__ is float and -6e4 < value < 6e4:
        return value
    value = plain(value)
    if value.__class__ is float and input._data.dtype.kind in "biu":
        check_number(value, result_type(input, value))
        return value
    if value.__class__ is complex and value.imag:
        if input._data.dtype.kind in "fV":
            check_number(value, float64, "double")
        raise NotImplementedError("clamp is not supported for complex types")
    return fitting(value, input, "clamp")


@public
def clamp_min(input, min, *, out=None):
    """max(input, min): `min` in the place of all smaller elements.

    `min` is a number or a tensor, whose shape broadcasts; dtypes promote. The gradient is 0 where
    input is smaller. nan stays nan. Raises RuntimeError for shapes that do not broadcast.

    >>> import retrograd as torch
    >>> torch.clamp_min(torch.tensor([-1., 2.]), 0)
    tensor([0., 2.])
    """
    if isinstance(min, Tensor):
        need_tensors("clamp_min", input, min=min)
        res = T.clamp_min_tensor(input, min)
    else:
        res = T.clamp_min_number(input, _one_bound("clamp_min", min, input))
    return res if out is None else fill_checked("clamp_min", out, res, input, min)


@public
def clamp_max(input, max, *, out=None):
    """min(input, max): `max` in the place of all larger elements.

    `max` is a number or a tensor, whose shape broadcasts; dtypes promote. The gradient is 0 where
    input is larger. nan stays nan. Raises RuntimeError for shapes that do not broadcast.

    >>> import retrograd as torch
    >>> torch.clamp_max(torch.tensor([-1., 2.]), 0)
    tensor([-1.,  0.])
    """
    if isinstance(max, Tensor):
        need_tensors("clamp_max", input, max=max)
        res = T.clamp_max_tensor(input, max)
    else:
        res = T.clamp_max_number(input, _one_bound("clamp_max", max, input))
    return res if out is None else fill_checked("clamp_max", out, res, input, max)


@method
def clamp_min_(self, min):
    """`clamp_min` in place: writes into self and returns it.

    The shape and dtype of self stay. Raises what `clamp_min` raises, and RuntimeError where self
    cannot hold the result or is a leaf that requires grad while recording is on.

    >>> import retrograd as torch
    >>> torch.tensor([1., 5.]).clamp_min_(2)
    tensor([2., 5.])
    """
    res = T.clamp_min_tensor_(self, min) if isinstance(min, Tensor) else T.clamp_min_number_(
        self, _one_bound_("clamp_min", min, self))
    return written(res, "clamp_min_")


@method
def clamp_max_(self, max):
    """`clamp_max` in place: writes into self and returns it.

    The shape and dtype of self stay. Raises what `clamp_max` raises, and RuntimeError where self
    cannot hold the result or is a leaf that requires grad while recording is on.

    >>> import retrograd as torch
    >>> torch.tensor([1., 5.]).clamp_max_(2)
    tensor([1., 2.])
    """
    res = T.clamp_max_tensor_(self, max) if isinstance(max, Tensor) else T.clamp_max_number_(
        self, _one_bound_("clamp_max", max, self))
    return written(res, "clamp_max_")


alias("clip", "clamp")
alias("clip_", "clamp_")


@public(method=False)
def where(condition, input=None, other=None, *, self=None, out=None):
    """`input` where the condition is True, else `other`, element by element.

    `condition` is a boolean tensor; input and other are tensors or numbers. Shapes broadcast and
    dtypes promote. The gradient goes to the one that was chosen; the other gets 0. With the
    condition alone: the indices of its non-zero elements, a tensor for each dimension. Raises
    RuntimeError for a condition of another dtype, and for shapes that do not broadcast.

    >>> import retrograd as torch
    >>> torch.where(torch.tensor([True, False]), torch.tensor([1., 2.]), 0)
    tensor([1., 0.])
    """
    try:
        kind = condition._data.dtype
    except AttributeError:
        raise of_call(must_be("Tensor", "where", "condition", 1, condition)) from None
    if isinstance(self, NUMBERS):                    # PyTorch's name for an input that is a number
        input = self
    if input is None and other is None:
        if is_batched(condition):
            refuse_dynamic("where", condition)
        return condition.nonzero(as_tuple=True)
    if input is None or other is None:
        raise of_call(must_be("Tensor", "where", "other", 3, other))
    if kind.kind != "b" and kind != np.uint8:
        raise RuntimeError("where expected condition to be a boolean tensor, but got a tensor with "
                           f"dtype {condition.dtype.tensor_name}\n\nCure: a comparison such as "
                           "`x > 0`, or condition.bool().")
    if kind.kind != "b":
        warn_once("where received a uint8 condition tensor. This behavior is deprecated and will "
                  "be removed in a future version of PyTorch. Use a boolean condition instead.")
    if input.__class__ in PLAIN and other.__class__ in PLAIN:
        input, other = _two_numbers(input, other)
    if input.__class__ is float:
        input = _real(input, other)
    elif input.__class__ is int:
        input = _whole(input, other)
    if other.__class__ is float:
        other = _real(other, input)
    elif other.__class__ is int:
        other = _whole(other, input)
    res = T.where(condition, input, other)
    return res if out is None else fill_checked("where", out, res, condition, input, other)


PLAIN = (float, int, bool, complex)


def _two_numbers(*values):
    """Numbers as tensors of their common dtype; RuntimeError if that cannot hold one of them."""
    kind = max(map(of_number, values), key=lambda d: d.rank)
    for value in values:
        if not -2**31 < value.real < 2**31:
            if value.__class__ is int and not -2**63 <= value < 2**63:
                raise OverflowError("int too big to convert")
            check_number(value, kind)
    return [wrap(np.array(value, kind.np)) for value in values]


def _real(value, tensor):
    """A float operand beside a tensor; RuntimeError if their common dtype cannot hold it."""
    if not -6e4 < value < 6e4 and tensor.__class__ is Tensor and not is_half(tensor._data.dtype):
        check_number(value, result_type(tensor, value))
    return number(value, tensor)


def _whole(value, tensor):
    """An int operand beside a tensor; RuntimeError if the tensor's integer dtype cannot hold it."""
    if tensor.__class__ is Tensor and tensor._data.dtype.kind in "iu":
        check_number(value, tensor.dtype)
    return number(value, tensor)


@method(name="where")
def where_method(self, condition, other=None):
    """self where the condition holds, else `other`.

    >>> import retrograd as torch
    >>> torch.tensor([1., -2.]).where(torch.tensor([True, False]), torch.zeros(2))
    tensor([1., 0.])
    """
    return where(condition, self, other)


@public
def equal(input, other):
    """True if both tensors have the same shape and the same elements: one bool, not a tensor.

    nan is not equal to nan. `eq` compares element by element.

    >>> import retrograd as torch
    >>> torch.equal(torch.tensor([1, 2]), torch.tensor([1, 2]))
    True
    """
    if is_batched(input, other):
        raise RuntimeError("Batching rule not implemented for aten::equal. We could not generate a "
                           "fallback.")
    if (input._flags | other._flags) & ON_META:
        refuse_dynamic("equal", input if input._flags & ON_META else other)
    a, b = input._data, other._data
    return bool(a.shape == b.shape and np.count_nonzero(a == b) == a.size)


@public
@elementwise()
def isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Where |input - other| <= atol + rtol * |other|; shapes broadcast.

    Infinities are close to themselves, nan to nothing, or with `equal_nan` to nan. Raises
    RuntimeError for two dtypes.

    >>> import retrograd as torch
    >>> torch.isclose(torch.tensor([1., 2.]), torch.tensor([1., 2.1]))
    tensor([ True, False])
    """
    need_tensors("isclose", input, other=other)
    a, b = input._data, other._data
    if a.dtype != b.dtype:
        raise RuntimeError(f"{input.dtype.tensor_name} did not match {other.dtype.tensor_name}")
    rtol, atol = _tolerance("rtol", 3, rtol), _tolerance("atol", 4, atol)
    if not rtol >= 0:
        raise RuntimeError(f"rtol must be greater than or equal to zero, but got {rtol:g}")
    if not atol >= 0:
        raise RuntimeError(f"atol must be greater than or equal to zero, but got {atol:g}")
    check_broadcast(a.shape, b.shape)
    close = T.eq(input, other)._data    # in whose memory order the rest is written
    if a.dtype.kind in "biu":
        if rtol or atol:
            a, b = a.astype(np.float64), b.astype(np.float64)
            np.logical_or(close, np.abs(a - b) <= atol + np.abs(rtol * b), out=close)
        return wrap(close)
    if equal_nan:
        np.logical_or(close, np.isnan(a) & np.isnan(b), out=close)
    allowed = atol + np.abs(rtol * b)
    off = np.abs(a - b)
    return wrap(np.logical_or(close, np.isfinite(off) & (off <= allowed), out=close))


def _tolerance(name, position, value):
    """A float from a number, or from a tensor with one that needs no gradient."""
    if isinstance(value, Tensor):
        if value._data.ndim or value._flags & 1:
            raise TypeError(f"isclose(): argument '{name}' (position {position}) must be float, "
                            "not Tensor")
        return value.item()
    return value


@public
def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """True if isclose() is true of all elements: every |input - other| <= atol + rtol * |other|.

    Infinities are close to themselves, nan to nothing, or with `equal_nan` to nan. Raises
    RuntimeError for two dtypes.

    >>> import retrograd as torch
    >>> torch.allclose(torch.tensor([1.]), torch.tensor([1.0 + 1e-7]))
    True
    """
    if is_batched(input, other):
        raise RuntimeError("vmap over torch.allclose isn't supported yet. Please file an issue at "
                           "https://github.com/pytorch/pytorch/issues if you need this feature.")
    close = isclose(input, other, rtol, atol, equal_nan)
    if close._flags & ON_META:
        raise RuntimeError(META_ITEM)
    return bool(close._data.all())
