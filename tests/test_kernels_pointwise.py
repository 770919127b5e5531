"""Kernels that take a detour for speed: the same bits as the straight way."""

from __future__ import annotations

import math
import operator
from itertools import permutations

import numpy as np
import pytest

import retrograd as torch
from retrograd import kernels
from retrograd.kernels import choose, fma, half, narrow, quotients, reduce, special, sums
from retrograd.kernels import shape as shape_kernels

RNG = np.random.default_rng(0)
N = 3 * quotients.BLOCK + 5
EDGES = np.array([0.0, -0.0, 1, -1, 0.5, -1.5, 3, -8, np.inf, -np.inf, np.nan, 1e-40, -1e-40, 1e38,
                  2.0**27, 123456789.0], np.float32)


def pairs():
    spread = (RNG.standard_normal(N) * 10.0 ** RNG.uniform(-8, 8, N)).astype(np.float32)
    yield spread, RNG.standard_normal(N).astype(np.float32)
    yield RNG.integers(-50, 50, N).astype(np.float32), RNG.integers(1, 9, N).astype(np.float32) * -1
    yield spread, np.float32(-0.1).reshape(())
    yield np.repeat(EDGES, 16), np.tile(EDGES, 16)
    yield np.repeat(EDGES[:8], 64), np.resize(EDGES[2:8], 512)


@pytest.mark.parametrize("name, plain", [
    ("fmod", np.fmod), ("floor_divide", np.floor_divide), ("remainder", quotients._slow_remainder)])
def test_quotients_by_way_of_float64(name, plain):
    for a, b in pairs():
        with np.errstate(all="ignore"):
            expected, got = plain(a, b), getattr(quotients, name)(a, b)
        same = expected.view(np.int32) == got.view(np.int32)
        same |= np.isnan(expected) & np.isnan(got)
        assert same.all(), (a[~same][:3], expected[~same][:3], got[~same][:3])


def test_floored_quotients_of_doubles():
    edges = np.append(EDGES.astype(np.float64), [2.0**53, 1e300, -1e300, 5e-324, 0.1, 0.3])
    for a, b in [*pairs(), (np.repeat(edges, 22), np.tile(edges, 22)),
                 (np.arange(5000) * 0.1, np.full(5000, 0.1))]:
        a, b = a.astype(np.float64), b.astype(np.float64)
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(quotients.floor_divide(a, b), np.floor_divide(a, b))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int64])
def test_choosing_by_bits(dtype):
    x = (RNG.standard_normal(2 * choose.MANY) * 100).astype(dtype)
    y, mask = x[::-1], x > 3
    for a, b in ((x, y), (x, dtype(7)), (0, y)):
        got, expected = choose.choose(mask, a, b), np.where(mask, a, b).astype(dtype)
        assert got.dtype == dtype
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("name, low, high", [
    ("erfc", -6, 10), ("ndtr", -12, 5), ("erfinv", -1, 1), ("lgamma", 1e-6, 40),
    ("lgamma", 0.999, 1.001), ("lgamma", -9, 9), ("digamma", 1e-6, 40), ("digamma", -9, 9),
    ("trigamma", 1e-6, 40), ("trigamma", -9, 9)])
def test_float32_is_within_a_unit_of_float64(name, low, high):
    kernel, x = getattr(special, name), np.linspace(low, high, 20011).astype(np.float32)
    got, whole = kernel(x), kernel(x.astype(np.float64))
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, whole.astype(np.float32), rtol=1.2e-7, atol=0)


ELEMENTWISE = {
    "clamp": lambda x: x.clamp(-0.5, 0.5),
    "clamp_min": lambda x: x.clamp(min=0.1),
    "clamp_max": lambda x: x.clamp(max=0.1),
    "maximum": lambda x: torch.maximum(x, torch.full_like(x, 0.2)),
    "hardswish": torch.nn.functional.hardswish,
    "where": lambda x: torch.where(x > 0, x, 0.0) + torch.where(x > 0.5, 2.0, x),
    "masked_fill": lambda x: x.masked_fill(x < 0, 3.0),
    "elu": torch.nn.functional.elu,
    "abs": torch.abs,
    "sinc": torch.sinc,
}


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_gradients_of_large_tensors_are_those_of_their_pieces(name):
    values = torch.from_numpy(RNG.standard_normal(2 * choose.MANY + 3))
    whole = values.clone().requires_grad_()
    ELEMENTWISE[name](whole).square().sum().backward()
    pieces = [piece.clone().requires_grad_() for piece in values.split(choose.MANY // 2)]
    for piece in pieces:
        ELEMENTWISE[name](piece).square().sum().backward()
    torch.testing.assert_close(whole.grad, torch.cat([piece.grad for piece in pieces]))


@pytest.mark.parametrize("shape", [(400, 2), (50, 30, 3), (20000, 16), (7, 2), (300, 1), (300, 0)])
@pytest.mark.parametrize("char", "fdD")
def test_short_rows_are_joined_as_numpy_would(shape, char):
    a = np.random.default_rng(0).standard_normal(shape).astype(char)
    a[3:5] = np.nan
    last = a.ndim - 1
    for dim, keepdims in ((last, False), ((last,), True), (-1, False)):
        np.testing.assert_allclose(sums.sum_over(a, dim, keepdims=keepdims),
                                   np.add.reduce(a, dim, keepdims=keepdims), rtol=1e-4, atol=1e-5)
        if shape[-1]:
            for ours, theirs in ((sums.max_over, np.maximum), (sums.min_over, np.minimum)):
                np.testing.assert_array_equal(ours(a, dim, keepdims),
                                              theirs.reduce(a, dim, keepdims=keepdims))
    np.testing.assert_allclose(reduce.prod_dim(a, last, True), a.prod(last, keepdims=True), 1e-5)
    assert sums.joins_columns(np.empty((400, 2)), 1) and not sums.joins_columns(np.empty((9, 2)), 1)


@pytest.mark.parametrize("shape", [(3, 4), (2, 5, 5), (300, 250), (2, 3, 40000), (30000, 3)])
@pytest.mark.parametrize("name", ["tril", "triu"])
def test_triangles_in_place(name, shape):
    whole, kernel = np.random.default_rng(0).standard_normal(shape), getattr(shape_kernels, name)
    whole[..., 0, -1] = np.nan
    for diagonal in (-300, -70, -64, -1, 0, 1, 3, 63, 64, 199, 400):
        changed = whole.copy()
        kernel(changed, diagonal, out=changed)
        np.testing.assert_array_equal(changed, kernel(whole, diagonal))


@pytest.mark.parametrize("shape, kept", [((300, 40), (40,)), ((20, 30, 40), (40,)),
                                         ((20, 30, 40), (30, 40)), ((2000, 9), (9,))])
def test_sums_of_columns(shape, kept):
    """By products where the rows are few enough, whatever lies in memory how."""
    a = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    lead = tuple(range(len(shape) - len(kept)))
    true = a.sum(lead, np.float64)
    for laid in a, np.asfortranarray(a):
        np.testing.assert_allclose(reduce.sum_to(laid, kept), true, rtol=1e-5, atol=1e-4)
        np.testing.assert_allclose(sums.sum_over(laid, lead), true, rtol=1e-5, atol=1e-4)
        np.testing.assert_allclose(sums.sum_over(laid, len(shape) - 2), a.sum(len(shape) - 2),
                                   rtol=1e-5, atol=1e-4)
    a[0, ..., 0] = np.inf
    assert np.isinf(reduce.sum_to(a, kept)[..., 0]).any() and not np.isnan(a.sum()).any()
    assert sums.fits_product(np.empty((1000, 40))) and not sums.fits_product(np.empty((2000, 9)))


@pytest.mark.parametrize("shape", [(50, 3), (4, 30, 2), (0, 3), (5, 0), (2, 3, 1, 4)])
@pytest.mark.parametrize("char", "fd")
def test_sums_of_columns_are_products_with_ones(shape, char):
    a = np.random.default_rng(0).standard_normal(shape).astype(char)
    if a.size:
        a[..., 0, 0] = np.inf
    dim = a.ndim - 2
    for given in (a, np.asfortranarray(a), np.broadcast_to(a, shape)):
        for keepdims in (False, True):
            ours = sums.sum_over(given, dim, keepdims=keepdims)
            assert ours.dtype == a.dtype
            np.testing.assert_allclose(ours, np.add.reduce(a, dim, keepdims=keepdims), rtol=1e-5,
                                       atol=1e-6)


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_half_precision_meets_numbers_in_single_precision(name):
    if name == "bfloat16":
        pytest.importorskip("ml_dtypes")
    dtype = getattr(torch, name)
    x = torch.tensor([1e-3, 0.5, 3.0], dtype=dtype, requires_grad=True)
    for scaled in (x * 1e5, 1e5 * x, x / 1e-5, x * torch.tensor(1e5), torch.mul(x, 100000)):
        exact = x.detach().float() * 1e5
        assert scaled.dtype is dtype
        assert torch.allclose(scaled[:2].float(), exact[:2], rtol=2**-8)
    (x * 1e-6).sum().backward()
    assert x.grad.dtype is dtype and x.grad[0] > 0
    for made in (torch.add(x, x, alpha=0.3), torch.sub(x, x, alpha=0.3)):
        assert made.dtype is dtype


@pytest.mark.parametrize("exponent", [4, -3, -2, 7, 1.5, -0.7, 2.0**30])
def test_powers_of_many_negative_numbers(exponent):
    x = np.random.default_rng(0).standard_normal(5000).astype("float32")
    x[:8] = 0, -0.0, np.inf, -np.inf, np.nan, -1, 1, -1e-30
    with np.errstate(all="ignore"):
        ours, true = kernels.pow_scalar(x, exponent), np.power(x.astype(float), exponent)
        np.testing.assert_allclose(ours, true.astype("float32"), 3e-7)
    numbers = ~np.isnan(true)
    np.testing.assert_array_equal(np.signbit(ours)[numbers], np.signbit(true)[numbers])


def test_powers_of_arrays_with_negative_numbers():
    base = np.resize(np.repeat(EDGES, 16), 16 * choose.MANY)
    for a, b in ((base, np.resize(EDGES, base.size)), (base[:, None], EDGES),
                 (base, np.float32(3).reshape(()))):
        with np.errstate(all="ignore"):
            expected, got = np.power(a, b), kernels.pow(a, b)
        np.testing.assert_array_equal(got, expected)
        numbers = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(got[numbers]), np.signbit(expected[numbers]))


def test_powers_that_fall_below_the_normal_numbers():
    """Rounded once, from float64, in which np.power takes no longer for them."""
    bases, exponents = np.linspace(0.3, 0.99, 600, dtype="float32"), np.arange(90.0, 130)
    low = []
    for got, base, exponent in (
            (kernels.pow(bases[:, None], exponents.astype("float32")), bases[:, None], exponents),
            (kernels.pow_scalar(bases, 97.3), bases, np.float32(97.3)),
            (kernels.rpow(100 * bases, 0.3), np.float32(0.3), 100 * bases)):
        expected = np.power(base.astype(float), exponent).astype("float32")
        np.testing.assert_array_equal(got, expected)
        low.append(((expected > 0) & (expected < np.finfo("float32").tiny)).sum())
    assert min(low) > 9


@pytest.mark.parametrize("rows", [3, 400])
def test_products_with_one_matrix_for_all(rows):
    a, b = (np.random.default_rng(k).standard_normal(shape) for k, shape in
            enumerate([(rows, 30, 50), (50, 20)]))
    a = a.swapaxes(0, 1)                                    # (30, rows, 50), not in order
    ours = kernels.bmm(a, np.broadcast_to(b, (30, 50, 20)))
    np.testing.assert_allclose(ours, a @ b, atol=1e-12)


@pytest.mark.parametrize("mask, b", [((90, 1), (90, 80)), ((80,), (90, 80)), ((90, 80), (90, 1)),
                                     ((90, 80), ()), ((3, 90, 80), (90, 80)), ((1, 1), (90, 80))])
def test_choosing_where_shapes_broadcast(mask, b):
    a = np.resize(EDGES, (90, 80))
    condition, b = RNG.random(mask) > 0.5, RNG.standard_normal(b).astype(np.float32)
    for ours, true in ((kernels.where(condition, a, b), np.where(condition, a, b)),
                       (kernels.where(condition, b, a), np.where(condition, b, a))):
        np.testing.assert_array_equal(ours, true)
        np.testing.assert_array_equal(np.signbit(ours), np.signbit(true))


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_powers_of_zero(dtype):
    """PyTorch 2.13's, which are those of exp(b log 0): a nan for 0 ** 0."""
    nan, inf, minus = math.nan, math.inf, complex(0.0, -0.0)
    expected = {0: (nan, nan), 1: minus, 0.5: minus, 1 + 1j: minus, inf: minus, 2 - 3j: 0j,
                -1: (inf, nan), -1 + 1j: (inf, nan), 1j: (nan, nan), nan: (nan, nan)}
    for exponent, power in expected.items():
        for zero in (0j, complex(-0.0, -0.0)):
            a, b = (np.array([x, 1], dtype) for x in (zero, exponent))
            res = np.asarray(kernels.pow(a, b))
            parts = power if isinstance(power, tuple) else (power.real, power.imag)
            assert res.dtype == dtype
            assert repr((float(res[0].real), float(res[0].imag))) == repr(parts), exponent


def test_a_bound_of_zero_has_its_own_sign():
    """Whatever was computed with -0.0 before: numbers are kept as arrays."""
    sums.number.cache_clear()
    fma.scale_shift(np.ones(2, np.float32), -0.0, 0)
    assert not torch.tensor([-1.0, 2.0]).clamp(min=0.0).signbit().any()
    assert torch.tensor([1.0, 2.0]).clamp(max=-0.0).signbit().all()


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.1.0", reason="NumPy's own clip")
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("n", [1, 3, 5000])
def test_the_sign_of_a_zero_at_a_bound_is_that_of_the_number(n, dtype):
    """As in PyTorch at every length: clamp between numbers, relu and elu leave -0.0 as it is."""
    functions = [
        lambda x, zero: x.clamp(zero, 1.0), lambda x, zero: x.clamp(-1.0, zero),
        lambda x, zero: x.clamp(zero, zero), lambda x, zero: x.clamp_min(zero),
        lambda x, zero: x.clamp_max(zero), lambda x, zero: torch.relu(x),
        lambda x, zero: torch.nn.functional.hardtanh(x, zero, 1.0),
        lambda x, zero: torch.nn.functional.elu(x), lambda x, zero: torch.nn.functional.selu(x),
        lambda x, zero: torch.nn.functional.celu(x)]
    for function in functions:
        for mine, bound in ((0.0, -0.0), (-0.0, 0.0)):
            got = function(torch.full((n,), mine, dtype=dtype), bound)
            assert torch.signbit(got).eq(math.copysign(1, mine) < 0).all()


def test_the_logarithm_at_distance_1_from_its_pole_is_imaginary():
    for number in (-1 + 1j, -1 - 1j, -2 + 0j):
        for dtype in (torch.complex64, torch.complex128):
            assert torch.tensor([number], dtype=dtype).log1p().real.tolist() == [0], number


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
@pytest.mark.parametrize("n", [1, 5000])
def test_nan_has_the_sign_0(dtype, n):
    x = torch.full((n,), math.nan, dtype=dtype, requires_grad=True)
    assert not x.sign().any() and not x.sgn().any()
    assert not torch.autograd.grad(x.abs().sum(), x)[0].any()


def test_zeros_of_gradients_and_entropy_are_positive():
    at = torch.zeros(2, requires_grad=True)
    for loss in (torch.nn.functional.smooth_l1_loss, torch.nn.functional.huber_loss):
        target = torch.zeros(2, requires_grad=True)
        grads = torch.autograd.grad(loss(at, target), (at, target))
        assert not any(torch.signbit(g).any() for g in grads)
    assert not torch.signbit(torch.special.entr(torch.tensor([-0.0]))).any()
    assert not torch.signbit(torch.tensor([-0.0], dtype=torch.float16) ** 0.5).any()


@pytest.mark.parametrize("repeats", [1, 1 << 16])
def test_roots_in_float16_as_powers_are_those_of_c(repeats):
    x = torch.tensor([-0.0, -math.inf, 4.0, -1.0], dtype=torch.float16).repeat(repeats)
    assert (x ** 0.5)[-4:].tolist()[:3] == [0.0, math.inf, 2.0]
    assert (x ** -0.5)[-4:].tolist()[:3] == [math.inf, 0.0, 0.5]
    assert not torch.signbit((x ** 0.5)[0]) and (x ** 0.5)[3].isnan() and (x ** -0.5)[3].isnan()


@pytest.mark.parametrize("exponent", [2j, 1 + 1j, -0.5 - 2j])
def test_powers_by_complex_numbers_have_the_derivative_of_differences(exponent):
    x = torch.tensor([0.5, 1.5, -2.0], dtype=torch.float64, requires_grad=True)
    z = torch.complex(x.detach(), x.detach().flip(0)).requires_grad_()
    for base in (x, z):
        assert torch.autograd.gradcheck(torch.pow, (base, exponent), check_forward_ad=base is z)
        assert torch.autograd.gradcheck(torch.float_power, (base, exponent), check_forward_ad=True)


def test_a_real_number_to_complex_powers_has_derivatives():
    base = torch.tensor(1.5, dtype=torch.float64, requires_grad=True)
    exponents = torch.tensor([1 + 2j, 2.0], dtype=torch.complex128, requires_grad=True)
    assert torch.autograd.gradcheck(torch.pow, (base, exponents))


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int64, torch.bool])
def test_integers_take_part_in_derivatives_as_the_numbers_they_are(dtype):
    """uint8 has no negative numbers, and NumPy's logarithm of small ones is of half precision."""
    whole = torch.tensor([1, 2, 100]).to(dtype)
    x = torch.tensor([0.5, 1.5, 3.0])
    functions = [lambda a, b: a / b, lambda a, b: torch.xlogy(b, a), lambda a, b: torch.atan2(a, b),
                 lambda a, b: torch.special.xlog1py(b, a), lambda a, b: torch.hypot(a, b),
                 lambda a, b: torch.addcdiv(b, a, b), lambda a, b: a - b]
    if dtype is not torch.bool:
        functions.append(lambda a, b: torch.special.zeta(a + 1, b))
    if dtype is not torch.bool:
        functions.append(lambda a, b: a ** b)
    for function in functions[:2 if dtype is torch.bool else None]:
        for mode in (torch.func.jacrev, torch.func.jacfwd):
            expected = mode(function, 1)(whole.double(), x.double())
            torch.testing.assert_close(mode(function, 1)(whole, x), expected.float())


@pytest.mark.parametrize("function", [torch.tanh, torch.sigmoid])
def test_second_derivatives_of_complex_squashing_functions(function):
    z = torch.tensor([0.3 + 0.2j, -0.7 + 0.5j], dtype=torch.complex128, requires_grad=True)
    assert torch.autograd.gradcheck(function, z, check_forward_ad=True)
    assert torch.autograd.gradgradcheck(function, z, check_fwd_over_rev=True)


@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128])
def test_the_sigmoid_of_complex_numbers_on_the_real_axis_has_no_minus_zero(dtype):
    values = torch.tensor([2, 1, 0, -1, -1000], dtype=dtype)
    for z in (values, values.conj()):
        found = torch.view_as_real(torch.sigmoid(z))
        assert not torch.signbit(found).any()
        torch.testing.assert_close(found[:, 0], torch.sigmoid(values.real))


def test_the_derivative_of_acosh_outside_its_domain_is_pytorchs():
    x = torch.tensor([-2.0, -1.0, 0.0, 1.0, 2.0], requires_grad=True)
    torch.acosh(x).sum().backward()
    assert x.grad[[0, 4]].tolist() == pytest.approx([3 ** -0.5] * 2)
    assert x.grad[[1, 3]].isinf().all() and x.grad[2].isnan()


@pytest.mark.parametrize("n", [3, 7, 10, 1000])
def test_equal_numbers_do_not_vary(n):
    """However their mean is rounded; the gradient of their deviation is 0, as PyTorch's."""
    row = np.random.default_rng(n).standard_normal((1, 50)).astype("float32")
    x = torch.from_numpy(np.repeat(row, n, 0)).requires_grad_()
    deviation = x.std(0)
    deviation.sum().backward()
    assert not deviation.any() and not x.grad.any()
    assert not torch.var_mean(x.T, 1)[0].any() and not x[:, 0].std()


@pytest.mark.parametrize("scale", [1e-30, 1e-20, 1.0, 1e20, 1e30])
@pytest.mark.parametrize("size", [4, 2000])
def test_deviations_of_numbers_whose_squares_float32_has_not(size, scale):
    """PyTorch adds up the squares in float64, and so do we where it matters."""
    ones = torch.linspace(-1, 2, size, dtype=torch.float64).repeat(3, 1)
    x = (ones * scale).float().requires_grad_()
    for deviation, true in ((x.std(), ones.std()), (x.std(1), ones.std(1)),
                            (torch.std_mean(x, 0)[0], ones.std(0)), (x[0].std(0), ones[0].std(0))):
        assert deviation.dtype == torch.float32
        torch.testing.assert_close(deviation.double() / scale, true, rtol=1e-6, atol=1e-12)
    (g,) = torch.autograd.grad(x[0].std(), x)
    true = (ones[0] - ones[0].mean()) / ones[0].std() / (size - 1)
    torch.testing.assert_close(g[0].double(), true, rtol=1e-5, atol=1e-8)
    torch.testing.assert_close((x[0] + 0j).std() / scale, ones[0].std().float())


def test_a_product_with_two_zeros_has_no_gradient_where_the_others_overflow():
    x = torch.tensor([0, 1e30, 0, 1e30, 1e30], requires_grad=True)
    (g,) = torch.autograd.grad(x.prod(), x)
    assert g.tolist() == [0] * 5


def test_a_common_multiple_without_room_is_wrapped_as_in_c():
    """Recorded of PyTorch: from 32 bits on what overflowed loses its sign."""
    def multiple(dtype):
        most = torch.iinfo(dtype).max
        return torch.lcm(torch.tensor([most], dtype=dtype), torch.tensor(8, dtype=dtype)).item()
    assert [multiple(dtype) for dtype in (torch.int8, torch.int32, torch.int64)] == [-8, 8, 8]


def test_unsigned_numbers_shifted_by_their_width_are_zero():
    x = torch.tensor([200, 255, 1], dtype=torch.uint8)
    assert (x >> 7).tolist() == [1, 1, 0] and (x >> 8).tolist() == (x >> 9).tolist() == [0, 0, 0]
    assert (x >> torch.tensor([200, 8, 0], dtype=torch.uint8)).tolist() == [0, 0, 1]


def test_numbers_below_the_normal_ones_of_float16_are_rounded_beforehand(monkeypatch):
    """To the same bits, ties and signs of zeros included; where most are not tiny, nothing is."""
    steps = np.arange(0x33000000, 0x38900000, 4093, dtype=np.uint32).view(np.float32)
    x = np.concatenate([steps, -steps, EDGES, [2.0**-25, 3 * 2.0**-25, -(2.0**-26), 65520.0]],
                       dtype=np.float32)
    expected = x.astype("e", order="C").view(np.uint16)
    np.testing.assert_array_equal(half.eased(x).astype("e").view(np.uint16), expected)
    seen = []
    monkeypatch.setattr(half, "rounded_below_normal", lambda a: seen.append(a) or a)
    for a in (x, x[::-1], x * 1e6, x[:9], x.astype("d")):
        half._cast(a, half.HALF)
    assert len(seen) == 2


def test_what_can_be_viewed_is_known_without_a_copy():
    """In every order of dimensions, sliced and expanded, as NumPy finds by trying."""
    seen = set()
    for dims in permutations(range(3)):
        for cut in (np.s_[:], np.s_[:, :1], np.s_[..., ::2], np.s_[1:, None]):
            a = np.zeros((4, 2, 6)).transpose(dims)[cut]
            for shape in ((a.size,), (2, a.size // 2), (1, a.size, 1), (*a.shape[::-1], 1),
                          (*a.shape[:-2], a.shape[-2] * a.shape[-1]), (1, *a.shape)):
                found = shape_kernels.needs_copy(a.shape, a.strides, shape)
                assert found != np.shares_memory(a.reshape(shape), a)
                seen.add(found)
    assert seen == {False, True}
    assert not shape_kernels.needs_copy((3, 5), (0, 0), (15,))
    assert not shape_kernels.needs_copy((0, 5), (4, 8), (5, 0))


ROWS = [(5000, 2), (3001, 3), (70, 60, 5), (4, 40, 60, 2), (3, 1021, 3), (700, 31), (40, 3),
        (9000, 1), (3000, 40), (0, 3)]


@pytest.mark.parametrize("shape", ROWS, ids=str)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_rows_of_few_numbers_are_combined_and_written_as_by_numpy(shape, dtype):
    a = np.random.default_rng(0).integers(-9, 9, shape).astype(dtype)
    row, column = a.sum(tuple(range(a.ndim - 1)), dtype, keepdims=True), a[..., :1].copy()
    single, each = row[(0,) * (a.ndim - 1)], a.sum(-2, dtype, keepdims=True)
    for other in (row, single, column, each, row[..., :1], a[::-1], np.array(3, dtype)):
        for ufunc in (np.subtract, np.equal):
            expected = ufunc(a, other)
            np.testing.assert_array_equal(narrow.combined(ufunc, a, other), expected)
        target = a.copy()
        assert narrow.combined(np.subtract, target, other, out=target) is target
        np.testing.assert_array_equal(target, a - other)
        for values in (other, np.broadcast_to(other, shape)):
            narrow.write(target, values)
            np.testing.assert_array_equal(target, np.broadcast_to(other, shape).copy())
    turned = a.T
    np.testing.assert_array_equal(narrow.combined(np.subtract, turned, turned[..., :1]),
                                  turned - turned[..., :1])


@pytest.mark.parametrize("shape", [(5000, 2), (3001, 3), (700, 31), (7, 500, 3), (2, 30, 9, 8)],
                         ids=str)
def test_columns_of_few_are_reduced_as_by_numpy(shape):
    a = np.random.default_rng(1).normal(size=shape)
    last = a.ndim - 1
    for x in (a, a.astype("float32"), np.where(a > 2.5, np.nan, a)):
        for dim in {last - 1, -2, (last - 1,), tuple(range(last))}:
            found = narrow.reduced(np.maximum, x, dim)
            np.testing.assert_array_equal(found, np.maximum.reduce(x, dim, keepdims=True))
            np.testing.assert_allclose(narrow.reduced(np.add, x, dim), np.add.reduce(
                x, dim, "float64", keepdims=True), 1e-5, 1e-3)
    for x, dim in ((a.T, -2), (a[:1, :9], -2), (a, -1), (a, (last, last - 1))):
        assert narrow.reduced(np.add, x, dim) is None


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("n", [1, 5000])
def test_half_precision_is_made_from_float32(dtype, n):
    """Float64 is rounded twice: here a number just above the middle of two is first that middle."""
    ulp = {"float16": 2.0**-10, "bfloat16": 2.0**-7}[dtype]
    x = torch.full((n,), 1 + ulp / 2 + 2.0**-40, dtype=torch.float64)
    assert (x.to(getattr(torch, dtype)) == 1).all()
    assert (x.float().to(getattr(torch, dtype)) == 1).all()


@pytest.mark.parametrize("n", [1, 5000])
def test_degrees_in_half_precision_have_a_factor_in_float32(n):
    x = torch.full((n,), 0.535, dtype=torch.float16)
    factor = torch.full((n,), math.pi / 180)
    assert (torch.deg2rad(x) == (x.float() * factor).half()).all()
    assert (torch.rad2deg(x) == (x.float() * (1 / factor)).half()).all()


@pytest.mark.parametrize("number", [0, 1, 2, 255, 256, -1, 2**40, 0.5])
@pytest.mark.parametrize("name", ["eq", "ne", "lt", "le", "gt", "ge"])
def test_bools_are_compared_with_numbers_by_value(name, number):
    x = torch.tensor([[False, True], [True, True]]).t()
    compare = getattr(operator, name)
    expected = [[compare(bool(v), number) for v in row] for row in x.tolist()]
    assert compare(x, number).tolist() == expected
    turned = [[compare(number, bool(v)) for v in row] for row in x.tolist()]
    assert compare(torch.tensor(number), x).tolist() == turned
    assert compare(x, torch.tensor(number)).stride() == x.stride()


def test_lerp_takes_the_weight_as_its_dtype_has_it():
    """1 - 0.999 in float32 is 0.0010000467, and not the float32 next to 0.001."""
    rest = np.float32(1) - np.float32(0.999)
    for n in (3, 5000):
        a, b = torch.full((n,), -1e6), torch.zeros(n)
        assert torch.lerp(a, b, 0.999)[0].item() == np.float32(-1e6) * rest
