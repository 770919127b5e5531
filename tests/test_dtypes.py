"""Every pair of dtypes beside the installed PyTorch: the result's dtype and elements, the error."""

import warnings
from functools import partial
from itertools import product

import numpy as np
import pytest

import retrograd

pytest.importorskip("ml_dtypes")
pytestmark = pytest.mark.live
DTYPES = ("uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128 "
          "bool").split()
BINARY = ("add sub mul div floor_divide remainder fmod pow atan2 hypot maximum minimum fmax fmin "
          "eq ne lt le gt ge logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor "
          "bitwise_left_shift bitwise_right_shift gcd lcm copysign nextafter logaddexp logaddexp2 "
          "xlogy heaviside float_power rsub isclose").split()
UNARY = ("abs neg exp exp2 expm1 log log2 log10 log1p sqrt rsqrt sin cos tan asin acos atan sinh "
         "cosh tanh asinh acosh atanh sigmoid floor ceil round trunc frac sign sgn signbit "
         "reciprocal square erf erfc erfinv lgamma digamma logit isnan isinf isfinite isposinf "
         "isneginf isreal logical_not bitwise_not angle real imag deg2rad rad2deg sinc i0 "
         "nan_to_num positive relu").split()
REDUCTIONS = ("sum prod mean var std amax amin max min argmax argmin all any nansum nanmean "
              "median nanmedian mode sort argsort unique count_nonzero norm aminmax var_mean "
              "diff nonzero cov corrcoef bincount msort").split()
VALUES = (1, 2, 3), (2, 1, 2)


def made(torch, dtype, values):
    return torch.tensor(values).to(getattr(torch, dtype))


def outcome(torch, name, dtypes):
    """dtypes, shapes and elements of what comes out, or the error; name_ is a method in place."""
    first, *rest = [made(torch, d, values) for d, values in zip(dtypes, VALUES, strict=False)]
    function = getattr(first, name) if name.endswith("_") else partial(getattr(torch, name), first)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = function(*rest)
            parts = found if isinstance(found, tuple) else (found,)
            return [(str(t.dtype), tuple(t.shape), t.to(torch.complex128).numpy()) for t in parts]
    except Exception as error:  # whatever it is, it is compared
        return type(error).__name__, str(error).splitlines()[0]


def assert_same(name, *dtypes):
    """The operator comes to the same with PyTorch and with retrograd."""
    import torch
    expected, found = outcome(torch, name, dtypes), outcome(retrograd, name, dtypes)
    if isinstance(expected, tuple) or isinstance(found, tuple):
        assert found == expected, (name, dtypes)
        return
    for (*ours, a), (*theirs, b) in zip(found, expected, strict=True):
        assert ours == theirs, (name, dtypes)
        np.testing.assert_allclose(a, b, rtol=1e-2 if "16" in theirs[0] else 1e-5, atol=1e-6,
                                   err_msg=str((name, dtypes)))


@pytest.fixture(autouse=True)
def pytorch():
    pytest.importorskip("torch")


def with_in_place(names):
    return [*names, *(n + "_" for n in names if hasattr(retrograd.Tensor, n + "_"))]


@pytest.mark.parametrize("name", with_in_place(BINARY))
def test_every_pair(name):
    for pair in product(DTYPES, DTYPES):
        assert_same(name, *pair)


@pytest.mark.parametrize("name", with_in_place(UNARY + REDUCTIONS))
def test_every_dtype(name):
    for dtype in DTYPES:
        assert_same(name, dtype)


def test_the_dtype_that_a_mean_cannot_have_is_named():
    """That of the input, or the one that was asked for."""
    with pytest.raises(RuntimeError, match="Input dtype must be .* Got: Long"):
        retrograd.arange(3).mean()
    with pytest.raises(RuntimeError, match="Optional dtype must be .* Got: Int"):
        retrograd.ones(3).mean(dtype=retrograd.int)


BESIDE_A_NUMBER = {
    "quotient": lambda t, x: x / 0.1, "floored quotient": lambda t, x: x // 0.001,
    "floored in place": lambda t, x: x.clone().floor_divide_(0.1),
    "cut off": lambda t, x: t.div(x, 0.1, rounding_mode="trunc"),
    "a number too large for float16": lambda t, x: x // 1e5,
    "divided tensor": lambda t, x: t.tensor(0.1) / x,
    "multiplied tensor": lambda t, x: t.tensor(0.1) * x,
    "multiplied by a tensor": lambda t, x: x * t.tensor(0.1),
    "logit": lambda t, x: x.logit(0.1),
    "mse_loss": lambda t, x: t.nn.functional.mse_loss(x, x.flip(0), reduction="none"),
    "mean of mse_loss": lambda t, x: t.nn.functional.mse_loss(x, x.flip(0)),
}


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", BESIDE_A_NUMBER)
def test_half_precision_is_rounded_where_pytorch_rounds_it(name, dtype):
    """The second operand, a number, is not; losses are after each step."""
    import torch
    numbers = np.random.default_rng(0).normal(0, 3, 60).tolist()
    found, expected = (BESIDE_A_NUMBER[name](t, made(t, dtype, numbers))
                       for t in (retrograd, torch))
    assert str(found.dtype).endswith(f".{dtype}")
    np.testing.assert_array_equal(found.double().numpy(), expected.double().numpy())
