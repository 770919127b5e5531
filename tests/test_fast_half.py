"""Compiled kernels on half precision: computed in float32, rounded once."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as torch
from retrograd.kernels import fast, loss, reduce

pytest.importorskip("numba")
ml_dtypes = pytest.importorskip("ml_dtypes")
from retrograd.kernels.fast import examples, half, ufuncs  # noqa: E402
from retrograd.kernels.fast.compiling import kernel  # noqa: E402
from test_fast import numpy_twin  # noqa: E402

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
FLOAT16 = np.dtype("float16")
ALL = np.arange(1 << 16, dtype=np.uint16)


def loop(function, name):
    def convert(x, out):
        for i in range(out.size):
            out[i] = function(x[i])
    convert.__name__ = name                # code on disk goes by the name
    return kernel(convert)


WAYS = {
    "processor": (half.READERS["e"], half.WRITERS["e"], FLOAT16),
    "bits": (half.read_float16_bits, half.write_float16_bits, FLOAT16),
    "bfloat16": (half.READERS["E"], half.WRITERS["E"], BFLOAT16),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_conversions_are_those_of_numpy(way):
    """Of all 65,536 numbers, of what lies between two of them, and of float32's own extremes."""
    read, write, dtype = WAYS[way]
    wide = np.empty(ALL.size, np.float32)
    loop(read, f"read_by_{way}")(ALL, wide, chunk=1 << 14)
    expected = ALL.view(dtype).astype(np.float32)
    np.testing.assert_array_equal(wide, expected)
    np.testing.assert_array_equal(np.signbit(wide), np.signbit(expected))
    middle = (wide.astype(float)[:-1] + wide[1:]) / 2
    rng = np.random.default_rng(0)
    single = np.concatenate([wide, middle, np.nextafter(middle, 0), np.nextafter(middle, 9)])
    single = np.concatenate([single.astype(np.float32),
                             rng.integers(0, 1 << 32, 1 << 16, np.uint32).view(np.float32)])
    narrow = np.empty(single.size, np.uint16)
    loop(write, f"write_by_{way}")(single, narrow, chunk=1 << 14)
    expected = single.astype(dtype)
    np.testing.assert_array_equal(narrow.view(dtype).astype(float), expected.astype(float))
    known = ~np.isnan(single)
    np.testing.assert_array_equal(np.signbit(narrow.view(dtype)[known].astype(float)),
                                  np.signbit(single[known]))


NAMES = ("add", "mul", "silu", "threshold_backward", "maximum", "neg", "abs", "sqrt", "lt",
         "pow_scalar", "softmax_dim", "softmax_backward", "native_layer_norm_of",
         "native_layer_norm_backward", "sum_dim", "mean_dim", "sum_to",
         "amax", "cumsum", "cumprod")


def in_dtype(value, dtype):
    single = isinstance(value, np.ndarray) and value.dtype == np.float32
    return value.astype(dtype) if single else value


def assert_near(ours, theirs, dtype):
    """One unit in the last place apart at most; a bool, or a row's mean, the same."""
    if isinstance(theirs, tuple):
        for a, b in zip(ours, theirs, strict=True):
            assert_near(a, b, dtype)
    elif theirs is not None:
        theirs = np.asarray(theirs)
        wanted = in_dtype(theirs, dtype)
        assert ours.dtype == wanted.dtype and ours.shape == theirs.shape
        unit = 2.0**-10 if dtype == FLOAT16 else 2.0**-7
        np.testing.assert_allclose(ours.astype(float), wanted.astype(float), unit, 1e-7)


@pytest.mark.parametrize("dtype", [FLOAT16, BFLOAT16], ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_a_twin_rounds_once(name, dtype):
    """What NumPy computes of the same numbers in float32, rounded."""
    for args in examples.Calls("float32")[name]:
        if args[0].dtype.kind == "c":
            continue
        narrow = [in_dtype(a, dtype) for a in args]
        wide = [in_dtype(a.astype(np.float32), np.float32) if isinstance(a, np.ndarray)
                and a.dtype == dtype else a for a in narrow]
        ours = fast.twin(name)(*narrow)
        if ours is not None:
            assert_near(ours, numpy_twin(name)(*wide), dtype)
        else:
            assert (name, dtype) == ("pow_scalar", BFLOAT16) or not args[0].flags.carray


@pytest.mark.parametrize("dtype", [FLOAT16, BFLOAT16], ids=str)
@pytest.mark.parametrize("name", ["add_scaled", "clamp_numbers.self"])
def test_a_number_is_rounded_first(name, dtype):
    for args in examples.Calls("float32")[name]:
        narrow = [in_dtype(a, dtype) for a in args]
        assert_near(fast.twin(name)(*narrow), numpy_twin(name)(*narrow), dtype)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_writes_and_sums_of_gradients_ask_the_kernels_early(dtype, monkeypatch):
    """NumPy converts each number by itself: from 1,024 on a kernel takes less time."""
    asked, twin = [], fast.twin
    monkeypatch.setattr(fast, "twin", lambda name: asked.append(name) or twin(name))
    x = torch.rand(fast.HALF).to(dtype).requires_grad_()
    y = x.detach().clone()
    y.mul_(x.detach())
    assert "mul" in asked and y.tolist() == (x.detach().float() ** 2).to(dtype).tolist()
    del asked[:]
    (x + x).backward(torch.ones_like(x))
    assert "add" in asked and x.grad.tolist() == [2] * fast.HALF


NORMS = [f"native_{kind}_norm_{end}" for kind in ("layer", "group", "batch")
         for end in ("of", "backward")]


def copies(args, dtype, narrow):
    """The arguments anew, the first `narrow` arrays of a dtype of half precision."""
    res = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    places = [i for i, a in enumerate(args) if isinstance(a, np.ndarray)][:narrow]
    for i in places:
        res[i] = in_dtype(res[i], dtype)
    return res


@pytest.mark.parametrize("narrow", ["input", "all"])
@pytest.mark.parametrize("name", NORMS)
def test_norms_keep_what_is_wider_and_write_to_what_is_given(name, narrow):
    """Gradients of float32 weights, statistics beside them; running statistics that are half."""
    taken = 0
    for args in examples.Calls("float32")[name]:
        wider = narrow == "input" and not any(a is None for a in args)
        count = (2 if name.endswith("backward") else 1) if wider else len(args)
        ours, theirs = copies(args, BFLOAT16, count), copies(args, BFLOAT16, count)
        found, wanted = fast.twin(name)(*ours), numpy_twin(name)(*theirs)
        if found is None:
            continue
        taken += 1
        pairs = zip([*ours, *found], [*theirs, *wanted], strict=True)
        for a, b in (pair for pair in pairs if getattr(pair[1], "size", 0)):
            assert a.dtype == b.dtype
            close = 1e-4 if b.dtype == np.float32 else 2.0**-7
            np.testing.assert_allclose(a.astype(float), b.astype(float), close, 1e-3)
    assert taken


def test_broadcasting_on_one_thread(monkeypatch):
    """In float32 too, which takes NumPy a twentieth of the time."""
    monkeypatch.setattr(fast, "threads", 1)
    x, row = (examples.normal("float32", *shape).astype(FLOAT16) for shape in ((6, 1100), (1100,)))
    assert np.array_equal(fast.twin("mul")(x, row), x * row)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_large_arrays_meet_numbers_and_rows_as_small_ones_do(dtype):
    """A factor is float32, whose range is wider: 1e5 is no float16, but 1e-3 * 1e5 is."""
    x = torch.from_numpy(examples.normal("float32", 400, 250) * 1e-3).to(dtype)
    row = torch.from_numpy(examples.normal("float32", 250)).to(dtype)
    number = torch.tensor(1e5)
    for change in (lambda x: x * 1e5, lambda x: x / 3, lambda x: x * number, lambda x: x + 0.3,
                   lambda x: x * row, lambda x: row - x, lambda x: x.clone().mul_(1e5),
                   lambda x: x.clone().div_(number), lambda x: x.clone().add_(0.3),
                   lambda x: x.clone().mul_(x)):
        pieces = [change(part) for part in x.split(20)]
        assert change(x).dtype is dtype and torch.equal(change(x), torch.cat(pieces))


def test_what_half_precision_is_refused():
    """Integers of 16 bits, and two kinds at once."""
    x = examples.normal("float32", 40)
    assert fast.twin("maximum")(x.astype(FLOAT16), x.astype(BFLOAT16)) is None
    assert fast.twin("silu")(x.astype(np.int16)) is None


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_large_gradients_meet_and_are_collected(dtype):
    x = torch.linspace(-3, 3, 40_000).to(dtype).requires_grad_()
    weights = [torch.linspace(k, 1, 40_000).to(dtype) for k in (-2, 0.3)]
    for _ in range(2):
        (x * weights[0] + x * weights[1]).sum().backward()
    small = torch.stack([w.detach() for w in weights]).sum(0)      # rounded once, as one addition
    assert x.grad.dtype is dtype and torch.equal(x.grad, small + small)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_half_precision_is_worth_a_kernel_earlier(dtype, monkeypatch):
    """NumPy converts its numbers one by one."""
    asked, twin = [], fast.twin
    monkeypatch.setattr(fast, "twin", lambda name: asked.append(name) or twin(name))
    x = torch.ones(fast.HALF, dtype=dtype, requires_grad=True)
    (x + x).exp().sum().backward()
    assert asked[:2] == ["add", "exp"] and "exp.self" in asked
    assert torch.equal(x.grad, 2 * torch.full_like(x.grad, 2).exp())


@pytest.mark.parametrize("dtype", [FLOAT16, BFLOAT16], ids=str)
@pytest.mark.parametrize("ufunc", [np.negative, np.abs], ids=lambda f: f.__name__)
def test_signs_are_bits(ufunc, dtype):
    x = ALL.view(dtype)
    known = ~np.isnan(x.astype(float))
    found = ufuncs.shared(ufunc, x)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found[known].view(np.uint16), ufunc(x[known]).view(np.uint16))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_rounding_many_numbers_to_decimals(dtype):
    """As few numbers are rounded; of bfloat16 NumPy knows no largest number."""
    x = (torch.arange(40000) % 97 / 7).to(dtype)
    for decimals in (2, 0, -1):
        expected = torch.cat([part.round(decimals=decimals) for part in x.split(50)])
        assert torch.equal(x.round(decimals=decimals), expected)
        assert torch.equal(x.clone().round_(decimals=decimals), expected)
    with pytest.raises(NotImplementedError, match="not implemented for 'Int'"):
        x.int().round_(decimals=2)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_remainders_of_many_numbers_by_one_are_those_of_few(dtype):
    x = (torch.arange(40000) % 97 / 7 - 5).to(dtype)
    for divisor in (0.7, -0.7, torch.tensor(0.3, dtype=dtype)):
        assert torch.equal(x % divisor, torch.cat([part % divisor for part in x.split(50)]))
        assert torch.equal(x.clone().remainder_(divisor), x % torch.full_like(x, divisor))


@pytest.mark.parametrize("dtype", [FLOAT16, BFLOAT16], ids=str)
@pytest.mark.parametrize("name", ["remainder", "fmod"])
def test_remainders_are_those_of_float32_by_the_rounded_number(name, dtype):
    x = np.random.default_rng(0).normal(0, 30, 3000).astype("f").astype(dtype)
    y = np.random.default_rng(1).normal(0, 3, 3000).astype("f").astype(dtype)
    for twin, other in (name, y), (f"{name}_scalar", 0.3), (f"{name}_scalar", -1.7):
        found = fast.twin(twin)(x, other)
        rounded = np.asarray(other, "f").astype(dtype).astype("f")
        expected = getattr(np, name)(x.astype("f"), rounded).astype(dtype)
        assert found.dtype == x.dtype
        np.testing.assert_array_equal(found.astype("f"), expected.astype("f"))


@pytest.mark.parametrize("dtype", [FLOAT16, BFLOAT16], ids=str)
@pytest.mark.parametrize("dim", [0, 1, None])
def test_products_are_rounded_once(dim, dtype):
    x = np.random.default_rng(0).uniform(0.97, 1.03, (300, 200)).astype("f").astype(dtype)
    rest = () if dim is None else (dim, False)
    name = "prod_all" if dim is None else "prod_dim"
    expected = x.astype("d").prod(dim)
    for function in fast.twin(name), getattr(reduce, name):
        found = function(x, *rest)
        if found is not None:
            assert found.dtype == x.dtype
            np.testing.assert_allclose(found.astype("d"), expected, np.finfo("e").eps
                                       if x.dtype.char == "e" else 2**-8)


@pytest.mark.parametrize("dtype", [FLOAT16, BFLOAT16], ids=str)
@pytest.mark.parametrize("each", [False, True])
def test_the_gradient_of_mse_loss_is_rounded_after_each_step(dtype, each):
    x, y, g = (np.random.default_rng(n).normal(size=3000).astype("f").astype(dtype)
               for n in range(3))
    g = g if each else np.asarray(3e-6, dtype)[()]
    np.testing.assert_array_equal(loss.mse_slope(x, y, g).view("H"),
                                  ((x - y) * (dtype.type(2) * g)).view("H"))
