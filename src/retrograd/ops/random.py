"""Random operators: fillers such as uniform_, and draws from distributions.

No gradient flows back through a draw: the overwritten values and the parameters get a gradient of
0. NOTE [randomness] in mapped.py says what a draw means inside vmap.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from .. import _dtype
from .._callers import note_write, written
from .._state import features, state
from .._tensor import Tensor
from .._warnings import warn
from ..autograd.views import leaf_first
from ..kernels import sampling
from ..kernels.checks import not_implemented
from ..kernels.stream import Stream
from ..random import stream_of
from . import samples as S
from .arguments import invalid_combination, must_be
from .declare import F, op
from .formulas import missing
from .in_place import ONTO
from .mapped import in_place
from .mistyped import is_int
from .public import method
from .support import unobserved

INT64_MIN = -(2**63)
FEW = 1 << 12                # so few elements are drawn in a few times the time of an operator
PLAIN = (int, float)
DIGITS = {"float64": 53, "float32": 24, "float16": 11, "bfloat16": 8}
BAD_PROBABILITY = (
    "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be "
    "improved?  If so, please report an enhancement request to PyTorch.)"
)


def _zero(F, g):
    return F.zeros_like(g)


class Again(Stream):
    """A generator that gives the same words in every call, so that laws hold for draws."""

    def words(self, n):
        self.manual_seed(1)
        return super().words(n)

    def words64(self, n):
        self.manual_seed(1)
        return super().words64(n)

    def _next_of_ahead(self, n):
        return None

    def _compiled(self, *args):
        self.manual_seed(1)
        return super()._compiled(*args)

    def sampled(self, *args):
        self.manual_seed(1)
        return super().sampled(*args)

    def normal64(self, n, *dtype):
        self._kept = None
        return super().normal64(n, *dtype)


def _filler(signature, grad_fn, *sample):
    op(signature, grad_fn, inplace=True, public=False, jvp="elementwise", self=_zero,
       samples=lambda: [(a, *sample, Again()) for a, in S.singles()[:3]])


_filler("uniform(self | low, high, stream)", "UniformBackward0", -1.0, 2.0)
_filler("normal(self | mean, std, stream)", "NormalBackward0", 0.5, 2.0)
_filler("log_normal(self | mean, std, stream)", "LogNormalBackward0", 0.5, 2.0)
_filler("cauchy(self | median, sigma, stream)", "CauchyBackward0", 0.5, 2.0)
_filler("exponential(self | rate, stream)", "ExponentialBackward0", 0.5)
_filler("geometric(self | p, stream)", "GeometricBackward0", 0.5)
_filler("random_from_to(self | low, high, stream)", "RandomBackward0", 2, 9)
_filler("random_to(self | high, stream)", "RandomBackward1", 9)
_filler("random_any(self | stream)", "RandomBackward2")
_filler("bernoulli_number(self | p, stream)", "BernoulliBackward2", 0.3)

op("bernoulli_array(self, p | stream)", "BernoulliBackward1", inplace=True,
    public=False, samples=lambda: [(a, np.full(a.shape, 0.4), Again()) for a, in S.singles()[:3]],
    self = _zero,
    p    = lambda F, g, p: F.zeros_like(p),
    jvp  = lambda F, self, p, self_t, p_t: F.zeros_like(self))

op("bernoulli_draw(self | stream)", "BernoulliBackward0", public=False, jvp="elementwise",
    samples=lambda: [(np.full((2, 3), 0.4), Again())],
    self = _zero)

op("poisson_draw(self | stream)", "PoissonBackward0", public=False, jvp="elementwise",
    samples=S.with_consts(S.positive, Again()),
    self = _zero)

# Draws count as noise: the parameters of normal() get no gradient, and the gradient of a gamma
# value is an implicit derivative, which finite differences do not show.

op("normal_around(mean | std, stream)", "NormalBackward1", public=False, jvp="elementwise",
    noise=True, samples=S.with_consts(S.singles, 0.5, Again()),
    mean = _zero)

op("normal_spread(std | mean, stream)", "NormalBackward2", public=False, jvp="elementwise",
    noise=True, samples=S.with_consts(S.positive, 0.5, Again()),
    std = _zero)

op("normal_draw(mean, std | stream)", "NormalBackward3", public=False, noise=True,
    samples=S.with_consts(S.positive_pairs, Again()),
    mean = lambda F, g, mean: F.zeros_like(mean),
    std  = lambda F, g, std: F.zeros_like(std),
    jvp  = lambda F, mean, std, mean_t, std_t: F.zeros_like(mean + std))

op("standard_gamma(self | stream)", "StandardGammaBackward0", public=False, noise=True,
    samples=S.with_consts(S.positive, Again()),
    self = lambda F, g, self, result: g * F.standard_gamma_grad(self, result),
    jvp  = "elementwise")

op("standard_gamma_grad(self, output)", public=False, samples=S.positive_pairs)

op("sample_dirichlet(self | stream)", "NotImplemented", public=False,
    samples=S.with_consts(S.positive, Again()),
    self = missing("_sample_dirichlet"))

op("bernoulli_like(self | p, stream)", "NotImplemented", public=False,
    samples=lambda: [(a, 0.3, Again()) for a, in S.singles()[:3]],
    self = missing("bernoulli"))

op("binomial(count, prob | stream)", "NotImplemented", public=False, kernel=sampling.binomial,
    samples=lambda: [(a * 0 + 3, a * 0 + 0.4, Again()) for a, in S.positive()[:3]],
    count = missing("binomial"),
    prob  = missing("binomial"))

op("dirichlet_grad(x, alpha, total)", public=False,
    samples=lambda: [(np.array([0.2, 0.5]), np.array([1.5, 0.7]), np.array([4.0, 2.5]))])


# --------------------------------------------------------------------------- arguments

def real(name, argument, value, position=None) -> float:
    """A float from a number or a tensor with one element; TypeError in PyTorch's words."""
    if isinstance(value, (int, float, np.number)):
        return float(value)
    if isinstance(value, Tensor) and not (value._flags & 1 or value._data.ndim):
        return float(value._data)
    raise must_be("float", name, argument, position, value)


def check_kernel(kernel, array, kinds) -> None:
    """Raise unless the array is of a kind (see _dtype.KINDS) the kernel has."""
    d = _dtype.of(array)
    if d.rank not in kinds or d.name in ("uint16", "uint32", "uint64"):
        raise not_implemented(kernel, array.dtype)


def uniform_bounds(array, low, high):
    """(low, high) for filling `array`; raises for bounds that it cannot hold."""
    if low.__class__ in PLAIN and high.__class__ in PLAIN and array.dtype.kind == "f" \
            and -3e4 <= low <= high <= 3e4:                     # float16 holds it
        return float(low), float(high)
    low, high = real("uniform_", "from", low), real("uniform_", "to", high)
    d = _dtype.of(array)
    if d.is_complex:
        return low, high
    if not d.is_floating_point:
        raise not_implemented("check_uniform_bounds", array.dtype)
    limits = _dtype.limits(d)
    for name, bound in (("from", low), ("to", high)):
        if not limits.min <= bound <= limits.max:
            raise RuntimeError(f"{name} is out of bounds for {d.c_name}")
    if low > high:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found "
                           f"from={low:g} > to={high:g}")
    if high - low > limits.max:
        raise RuntimeError(f"uniform_ expects to-from <= std::numeric_limits<{d.tensor_name}>"
                           f"::max(), but found to={high:g} and from={low:g} which result in "
                           "to-from to exceed the limit")
    return low, high


def normal_numbers(array, mean, std):
    """(mean, std) for filling `array`."""
    if mean.__class__ in PLAIN and std.__class__ in PLAIN and std >= 0 \
            and array.dtype.kind == "f":
        return float(mean), float(std)
    mean, std = real("normal_", "mean", mean, 1), real("normal_", "std", std, 2)
    if not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    if array.size and array.dtype.kind in "biu":
        raise not_implemented("normal_kernel_cpu", array.dtype)
    return mean, std


def integer_range(array, low, high):
    """(low, high) for filling `array` from [low, high); high None means all that fit.

    A floating dtype moves the bounds to numbers it can hold, as PyTorch does.
    """
    d = _dtype.of(array)
    if high is not None and (d is _dtype.int64 and INT64_MIN <= low < high <= 2**63
                             or array.dtype.char in "fd" and -2**24 <= low < high <= 2**24):
        return low, high
    if high is None and low == INT64_MIN:
        if d.name not in ("int64", "float64", "float32", "bfloat16"):
            raise RuntimeError("random_full_64_bits_range_kernel_cpu handles only int64, double, "
                               "float and bfloat16")
        return low, 2**63
    if high is not None and low >= high:
        raise RuntimeError("random_ expects 'from' to be less than 'to', but got "
                           f"from={low} >= to={high}")
    if d.is_complex:
        raise RuntimeError("check_random_bounds handles only integral, floating-point and boolean "
                           "types")
    if high is None:
        if d.is_floating_point:
            high = 2**DIGITS[d.name] + 1
        else:
            high = 2 if d is _dtype.bool_ else _dtype.iinfo(d).max + 1
    elif d.is_floating_point:
        _check_limits(d, low, high - 1)
        low, high = _representable(d, low, 1), _representable(d, high, -1)
        if low >= high:
            raise RuntimeError("random_ expects 'from' casted to dtype to be less than 'to' casted "
                               f"to dtype, but got from={low} >= to={high}")
    _check_limits(d, low, high - 1)
    if d.is_floating_point:
        _warn_if_inexact(d, "from", low)
        _warn_if_inexact(d, "to - 1", high - 1)
    return low, high


def _representable(d, bound, step):
    """The bound, or where rounding to `d` would cross it, the next one inwards that `d` holds."""
    if abs(bound + step) <= 2**DIGITS[d.name]:
        return bound
    rounded = int(float(np.float64(bound + step).astype(d.np)))
    if rounded >= bound if step > 0 else rounded < bound:
        return bound
    return rounded + step * (1 << (abs(bound + step).bit_length() - DIGITS[d.name]))


@cache
def _limits(d):
    limits = _dtype.limits(d) if d.is_floating_point else _dtype.iinfo(d)
    return limits.min, limits.max


def _check_limits(d, low, last):
    if d is _dtype.bool_:
        least, most = 0, 1
    else:
        least, most = _limits(d)
    for name, value in (("from", low), ("to - 1", last)):
        if not least <= value <= most:
            raise RuntimeError(f"{name} is out of bounds for {d.option_name}")


def _warn_if_inexact(d, name, value):
    digits = DIGITS[d.name]
    if abs(value) > 2**digits:
        warn(
            f"{name} is out of bounds [-(2^{digits}), 2^{digits}]. Due to precision limitations "
            f"{d.c_name} can support discrete uniform distribution only within this range. This "
            "warning will become an error in version 1.7 release, please fix the code in advance")


# --------------------------------------------------------------------------- fillers

def _filled(name, t, operator, *numbers):
    """`t`, written by an operator in place; a small one by the operator's kernel alone, where
    nobody records or observes the write.

    The operator's name is internal, such as random_to. If the write spoils a backward pass, the
    error has the method's `name`.
    """
    array, flags = t._data, t._flags
    if (array.size < FEW and array.flags.carray and (not flags or unobserved(flags))
            and state.on_call is None and not features.before_write):
        if operator in ONTO:
            getattr(sampling, operator)(array, *numbers, out=array)
        else:
            array[...] = getattr(sampling, operator)(array, *numbers)
        return note_write(t, name)
    return written(getattr(F, operator + "_")(t, *numbers), name)


def filler(fn):
    """A method that fills its tensor; `in_place` says what it does inside vmap."""
    return method(in_place(fn))


@filler
def uniform_(input, from_=0.0, to=1.0, *, generator=None):
    """Fill with values uniform in [from, to); raises RuntimeError for from > to.

    >>> import retrograd as torch
    >>> torch.empty(2, 3).uniform_(0, 1).shape
    torch.Size([2, 3])
    """
    low, high = uniform_bounds(input._data, from_, to)
    return _filled("uniform_", input, "uniform", low, high, stream_of(generator, "uniform_"))


@filler
def normal_(input, mean=0.0, std=1.0, *, generator=None):
    """Fill with normal values; raises RuntimeError for a negative std.

    >>> import retrograd as torch
    >>> torch.empty(2, 3).normal_(0, 1).shape
    torch.Size([2, 3])
    """
    try:
        mean, std = normal_numbers(input._data, mean, std)
    except RuntimeError:
        leaf_first(input)
        raise
    return _filled("normal_", input, "normal", mean, std, stream_of(generator, "normal_"))


@filler
def log_normal_(input, mean=1.0, std=2.0, *, generator=None):
    """Fill with exp of normal values of the given mean and std.

    RuntimeError unless std > 0.

    >>> import retrograd as torch
    >>> bool((torch.empty(9).log_normal_() > 0).all())
    True
    """
    mean, std = real("log_normal_", "mean", mean), real("log_normal_", "std", std)
    if not std > 0:
        raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={std:g}")
    check_kernel("log_normal_cpu", input._data, (2,))
    stream = stream_of(generator, "log_normal_")
    return _filled("log_normal_", input, "log_normal", mean, std, stream)


@filler
def cauchy_(input, median=0.0, sigma=1.0, *, generator=None):
    """Fill with values of density 1 / (pi sigma (1 + ((x - median) / sigma)^2)).

    RuntimeError unless sigma > 0.

    >>> import retrograd as torch
    >>> torch.empty(9).cauchy_().shape
    torch.Size([9])
    """
    median, sigma = real("cauchy_", "median", median), real("cauchy_", "sigma", sigma)
    if not sigma > 0:
        raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma:g}")
    d = input.dtype
    if not d.is_floating_point:
        raise RuntimeError("Cauchy distribution is a continuous probability distribution. dtype "
                           "must be a floating point but you specified "
                           f"{d.option_name}")
    stream = stream_of(generator, "cauchy_")
    return _filled("cauchy_", input, "cauchy", median, sigma, stream)


@filler
def exponential_(input, lambd=1.0, *, generator=None):
    """Fill with values of density lambd exp(-lambd x).

    >>> import retrograd as torch
    >>> torch.empty(3).exponential_().shape
    torch.Size([3])
    """
    rate = real("exponential_", "lambd", lambd)
    if not input.dtype.is_floating_point:
        raise RuntimeError("Exponential distribution is a continuous probability distribution. "
                           "dtype must be a floating point but you specified "
                           f"{input.dtype.tensor_name}")
    if not rate > 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={rate:g}")
    stream = stream_of(generator, "exponential_")
    return _filled("exponential_", input, "exponential", rate, stream)


@filler
def geometric_(input, p, *, generator=None):
    """Fill with the number of trials up to the first success of probability p.

    RuntimeError unless 0 < p < 1.

    >>> import retrograd as torch
    >>> bool((torch.empty(9).geometric_(0.5) >= 1).all())
    True
    """
    p = real("geometric_", "p", p)
    if not 0 < p < 1:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p:g}")
    if input.dtype is _dtype.bool_:
        raise not_implemented("geometric_cpu", input._data.dtype)
    check_kernel("geometric_cpu", input._data, (1, 2))
    stream = stream_of(generator, "geometric_")
    return _filled("geometric_", input, "geometric", p, stream)


def checked_bounds(bounds, named):
    """The bounds of random_() in order; TypeError for arguments of another kind."""
    bounds += tuple(named.pop(name) for name in ("from", "to") if name in named)
    fits = not named and len(bounds) < 3 and all(
        is_int(b) or (b is None and k) for k, b in enumerate(bounds))
    if not fits:
        raise invalid_combination("random_", bounds, named, [
            "*, torch.Generator generator = None",
            "int from, int to, *, torch.Generator generator = None",
            "int to, *, torch.Generator generator = None"])
    return tuple(None if b is None else int(b) for b in bounds)


@filler
def random_(input, *bounds, generator=None, **named):
    """Fill with integers: random_() all that the dtype holds, random_(to), random_(from, to).

    `random_(from, None)` goes up to the largest that the dtype holds exactly.

    >>> import retrograd as torch
    >>> torch.empty(2, 3).random_(10).shape
    torch.Size([2, 3])
    """
    stream = stream_of(generator, "random_")
    if named or len(bounds) > 2 or any([b.__class__ is not int for b in bounds]):
        bounds = checked_bounds(bounds, named)
    if not bounds:
        check_kernel("random_kernel_cpu", input._data, (0, 1, 2))
        return _filled("random_", input, "random_any", stream)
    try:
        if len(bounds) == 1:
            low, high = integer_range(input._data, 0, bounds[0])
            return _filled("random_", input, "random_to", high, stream)
        low, high = integer_range(input._data, *bounds)
        return _filled("random_", input, "random_from_to", low, high, stream)
    except RuntimeError:
        leaf_first(input)
        raise


@filler
def bernoulli_(input, p=0.5, *, generator=None):
    """Fill with ones of probability p, a number or a tensor that broadcasts, and zeros.

    >>> import retrograd as torch
    >>> torch.empty(3).bernoulli_(1.0)
    tensor([1., 1., 1.])
    """
    stream = stream_of(generator, "bernoulli_")
    if isinstance(p, Tensor):
        check_kernel("bernoulli_tensor_cpu_self_", input._data, (0, 1, 2))
        if p._data.shape != input._data.shape:
            p.detach().expand(input._data.shape)  # raises in PyTorch's words
        check_probabilities(p._data)
        return written(F.bernoulli_array_(input, p, stream), "bernoulli_")
    return _filled("bernoulli_", input, "bernoulli_number", probability(input, p), stream)


def probability(input, p) -> float:
    """The number `p`, checked, for draws of the dtype of `input`."""
    if not isinstance(p, (int, float, np.number)):
        raise invalid_combination("bernoulli_", (p,), {}, [
            "Tensor p, *, torch.Generator generator = None",
            "float p = 0.5, *, torch.Generator generator = None"])
    if not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
    check_kernel("bernoulli_scalar_cpu_", input._data, (0, 1, 2))
    return float(p)


def check_probabilities(p):
    if p.dtype.kind in "biuc":
        raise not_implemented("bernoulli_tensor_cpu_p_", p.dtype)
    if not ((p >= 0) & (p <= 1)).all():
        raise RuntimeError(BAD_PROBABILITY)
