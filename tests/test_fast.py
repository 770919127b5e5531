"""Compiled kernels: against their NumPy twins, against the truth, and as guests of a process."""

from __future__ import annotations

import ast
import copy
import gc
import inspect
import math
import os
import pkgutil
import subprocess
import sys
import threading
from importlib import import_module
from itertools import permutations
from math import prod
from unittest import mock

import numpy as np
import pytest

import retrograd as torch
from retrograd import _blas, kernels
from retrograd.kernels import (
    axismap,
    conv,
    fast,
    indexing,
    normal_fill,
    random_reject,
    resize,
    sparse_products,
)
from retrograd.kernels.axismap import AxisMap, Direction
from retrograd.kernels.shape import once
from retrograd.kernels.stream import Doubles, Stream
from retrograd.ops.declare import REGISTRY
from retrograd.optim import _arrays

pytest.importorskip("numba")
from retrograd.kernels.fast import (  # noqa: E402
    activation,
    blend,
    disk,
    examples,
    machine,
    optimizer,
    pool,
    scalar,
    softmax,
    tile,
)
from retrograd.kernels.fast.compiling import Kernel, Number, kernel  # noqa: E402
from retrograd.kernels.fast.elementwise import elementwise  # noqa: E402

DRAWN = ("normal32", "uniform32", "uniform64", "below", "shuffled", "remainders")


def numpy_twin(name):
    """The kernel that a compiled one stands in for, or the formula, on arrays."""
    if name.endswith("_update"):
        return lambda *args: updated(UPDATES[name], *args)
    if name == "normal_blocks":
        return without_twins(normal_fill.normal_blocks)
    if name in DRAWN:
        return lambda *args: drawn(name, *args)
    if name in SAMPLED:
        return lambda *args: sampled(SAMPLED[name], *args)
    if name in ("tiny_products", "joined"):
        return np.matmul if name == "tiny_products" else np.concatenate
    if name == "product":
        return lambda a, b, bias=None: a @ b if bias is None else a @ b + bias
    if name == "bfloat16_product":
        return lambda *args: numpy_twin("product")(*(x.astype("float32") for x in args))
    if name == "add_rows":
        return indexing.add_rows
    if name == "add_products":
        return sparse_products.add_products
    if name == "add_at":
        return lambda out, *rest: indexing.add_at(np.add, out, *rest) or out
    operator, _, input = name.partition(".")
    if input:
        formula = REGISTRY[operator].formulas[input]
        return lambda *args: formula(kernels, *args)
    found = getattr(kernels, name)
    return getattr(found, "plain", found)


SAMPLED = {
    "normals": lambda draws, _: draws.normal(),
    "gammas": random_reject._gamma,
    "poissons": lambda draws, rate: float(random_reject._poisson(draws, float(rate))),
    "binomials": lambda draws, n, p: float(random_reject._binomial(draws, float(n), float(p))),
}
UPDATES = {f"{name.lower()}_update": getattr(torch.optim, name)
           for name in ("Adam", "SGD", "Adadelta", "Adagrad", "RMSprop", "NAdam", "RAdam", "Adamax",
                        "ASGD", "Rprop")}
EXACT = (*UPDATES, "clone_contiguous", "overwrite", "sort", "normal_blocks", *DRAWN, *SAMPLED,
         "fmod", "remainder", "div_rounded", "angle", "copysign", "nextafter")


def without_twins(function):
    """The function where there is no compiled kernel: those of draws are asked for few numbers."""
    def run(*args):
        with mock.patch.object(fast, "has", lambda name: False):
            return function(*args)
    return run


@without_twins
def drawn(name, memory, n, *args):
    """By a stream that goes on from this memory, which is changed as the stream's is."""
    stream = Stream()
    stream._memory[:] = memory
    if name == "below":
        args = args[0] / 2**53, *args[1:]
    if name == "shuffled":
        res = kernels.random.permutation(stream, n)
    elif name == "normal32":
        res = kernels.random.normal(stream, (n,), np.float32)
    else:
        res = getattr(stream, name)(n, *args)
    memory[:] = stream._memory
    return res


@without_twins
def sampled(one, memory, kept, *parameters):
    """By a stream that goes on from this memory and keeps this normal."""
    stream = Stream()
    stream._memory[:], stream._kept = memory, kept[1] if kept[0] else None
    with Doubles(stream) as draws:
        res = np.array([one(draws, *values) for values in zip(*parameters, strict=True)])
    memory[:], kept[:] = stream._memory, (stream._kept is not None, stream._kept or 0)
    return res


def updated(optimizer, items, *args):
    for _, p, g, buffers in items:
        optimizer.update(None, _arrays, p, g, buffers, *args)
    return []


def assert_same(ours, theirs, tolerance):
    if isinstance(theirs, np.generic):
        theirs = np.asarray(theirs)
    if isinstance(theirs, tuple):
        assert len(ours) == len(theirs)
        for a, b in zip(ours, theirs, strict=True):
            assert_same(a, b, tolerance)
    elif isinstance(theirs, dict):
        assert_same(tuple(ours.values()), tuple(theirs.values()), tolerance)
    elif not isinstance(theirs, np.ndarray):
        assert ours == theirs
    else:
        assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
        np.testing.assert_allclose(ours, theirs, tolerance, tolerance)


# Every twin is tested in float32; in float64 only those of which each precision has its own code:
# all of them would take a minute more to compile.
BY_PRECISION = ("exp", "tanh", "sigmoid", "erf", "gelu_by", "gelu_backward", "elu", "softplus",
                "softmax_dim", "native_layer_norm_of", "amax", "remainder", "erfinv", "adam_update",
                "gru_steps", "gru_steps_backward", "gammas", "normal_blocks", "sin.self",
                "cos.self", "logaddexp", "sin", "cos", "i1", "modified_bessel_k0", "bessel_y1",
                "igammac", "log_ndtr", "erfc", "hypot", "sinc", "angle",
                "nextafter", "legendre_polynomial_p")


@pytest.mark.parametrize("name, dtype", [*((name, "float32") for name in fast.TWINS),
                                         *((name, "float64") for name in BY_PRECISION)])
def test_a_twin_agrees(name, dtype):
    for args in examples.Calls(dtype)[name]:
        known = {id(a): a for arg in args for a in (arg if isinstance(arg, tuple) else (arg,))
                 if isinstance(a, (AxisMap, Direction))}                  # those are not copied
        mine, its = args, copy.deepcopy(args, known)
        tolerance = 0 if name in EXACT else 1e-5 if dtype == "float32" else 2e-14
        assert_same(fast.twin(name)(*mine), numpy_twin(name)(*its), tolerance)
        assert_same(mine, its, tolerance)


def test_the_examples_reach_every_kernel():
    """`retrograd warmup` compiles them by these calls. Those of half precision have tests of their
    own, tiles are not for every processor; most loops in place are there for a few operators."""
    families = [module.name for module in pkgutil.iter_modules(fast.__path__)]
    for family in families:
        import_module(f"{fast.__name__}.{family}")
    for name in fast.TWINS:
        examples.warm(name, "float32")
    for name in BY_PRECISION:
        examples.warm(name, "float64")
    without = {kernel.name for kernel in gc.get_objects()
               if type(kernel) is Kernel and not kernel.entries
               and kernel.name.partition(".")[0] in families}
    assert {name for name in without
            if not name.endswith(("_in_place", "float16", "bfloat16", "bfloat16s"))
            and name.partition(".")[0] not in ("panels", "winograd", "pairs")} == set()


@pytest.fixture(autouse=True)
def two_threads(monkeypatch):
    """With one, or of few numbers, what NumPy does in one pass is left to it."""
    monkeypatch.setattr(fast, "threads", 2)
    monkeypatch.setattr(fast, "SHARED", 0)


def with_nan_and_inf(a):
    a = a.copy()
    a.reshape(-1)[:3] = np.nan, np.inf, -np.inf
    return a


def changed(value, change):
    """An argument with `change` made to the float arrays in it."""
    if isinstance(value, dict):
        return {name: changed(v, change) for name, v in value.items()}
    if isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.size > 9:
        return change(value)
    return copy.deepcopy(value)


SPECIALLY = {"columns first": np.asfortranarray, "nan and inf": with_nan_and_inf,
             "read-only": lambda a: np.broadcast_to(a, a.shape),
             "expanded column": lambda a: np.broadcast_to(a[..., :1], a.shape)}


@pytest.mark.parametrize("how", SPECIALLY)
@pytest.mark.parametrize("name", [
    n for n, family in fast.TWINS.items()
    if family not in ("conv", "windows", "linalg", "triangular", "cholesky", "fft")])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_twin_agrees_or_declines(name, how):
    for args in examples.Calls("float32")[name]:
        if how != "columns first" and name in CHANGING:
            continue
        if how == "nan and inf" and name == "places_among":      # its boundaries must be sorted
            continue
        mine, its = ([changed(a, SPECIALLY[how]) for a in args] for _ in range(2))
        result = fast.twin(name)(*mine)
        if result is not None:
            tolerance = 1e-4 if how == "expanded column" else 1e-5      # equal numbers cancel
            assert_same(result, numpy_twin(name)(*its), tolerance)


@pytest.mark.parametrize("name", [
    "sum_dim", "mean_dim", "amax", "amin", "prod_dim", "linalg_vector_norm"])
@pytest.mark.parametrize("repeated", [(0,), (1,), (2,), (0, 2)])
def test_what_an_array_repeats_is_reduced_once(name, repeated):
    one = np.random.default_rng(0).uniform(0.9, 1.1, (20, 40, 30)).astype("float32")
    one = one[tuple([slice(1) if d in repeated else slice(None) for d in range(3)])]
    a, plain = np.broadcast_to(one, (20, 40, 30)), numpy_twin(name)
    for dim in (0, 1, 2):
        rest = (2, (dim,)) if name == "linalg_vector_norm" else (dim,)
        for keepdim in (False, True):
            found = fast.twin(name)(a, *rest, keepdim)
            assert found is not None and found.flags.c_contiguous
            assert_same(found, plain(np.ascontiguousarray(a), *rest, keepdim), 1e-5)


@pytest.mark.parametrize("name", ["sum_all", "mean_all", "prod_all"])
def test_what_an_array_repeats_is_reduced_once_to_a_number(name):
    one = np.random.default_rng(0).uniform(0.99, 1.01, (200, 1)).astype("float32")
    for a in (np.broadcast_to(one, (200, 30)), np.broadcast_to(one[::2], (100, 30))):
        found = fast.twin(name)(a)
        assert found is not None
        assert_same(found, numpy_twin(name)(np.ascontiguousarray(a)), 1e-4)


@pytest.mark.parametrize("name", ["sigmoid", "sqrt", "relu", "neg", "isnan", "reciprocal", "abs"])
@pytest.mark.parametrize("repeated", [(0,), (1,), (2,), (0, 2), (0, 1, 2)])
def test_functions_of_what_a_tensor_repeats_are_computed_once(name, repeated):
    one = torch.rand([1 if d in repeated else n for d, n in enumerate((50, 40, 30))])
    x = one.expand(50, 40, 30)
    for laid in (x, x.transpose(0, 1)):
        found = getattr(torch, name)(laid)
        assert_same(found.numpy(), getattr(torch, name)(laid.contiguous()).numpy(), 1e-6)
        assert found.numel() == found.untyped_storage().nbytes() // found.itemsize
    sizes = []
    once(lambda a: sizes.append(a.size) or -a)(x.numpy())
    assert sizes == [one.numel()]


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_numbers_are_negated_by_parts(dtype):
    x = (np.arange(300 * 200).reshape(300, 200) * (1 - 2j)).astype(dtype)
    x[0, :2] = complex(-0.0, np.inf), complex(np.nan, 0.0)
    for a in (x, x.T, x.reshape(20, 30, 100).transpose(1, 0, 2)):
        found = fast.twin("neg")(a)
        assert found.strides == a.strides and found.tobytes() == np.negative(a).tobytes()
    assert fast.twin("neg")(x[:, ::2]) is None


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
def test_maps_of_channels_that_lie_innermost_copy_no_planes(mode, transposed):
    maps = resize._resize_maps((12, 9), (20, 9), mode, False, None, np.dtype("f4"))
    rows = np.random.default_rng(0).random((2, 20 if transposed else 12, 9, 40), np.float32)
    x = rows.transpose(0, 3, 1, 2)
    assert fast.twin("apply_maps")(x, maps, transposed) is None      # axes one by one
    found = axismap.apply_maps(x, maps, transposed)
    assert found.transpose(0, 2, 3, 1).flags.c_contiguous
    assert_same(found, axismap.apply_maps(np.ascontiguousarray(x), maps, transposed), 1e-5)


def test_sums_of_few_taps_of_channels_that_lie_innermost_take_one_pass():
    x = np.random.default_rng(0).random((2, 12, 9, 19), np.float32).transpose(0, 3, 1, 2)
    maps = (axismap.AxisMap(6, 12, np.arange(12) // 2, np.arange(12)),
            axismap.AxisMap(3, 9, np.arange(9) // 3, np.arange(9), np.arange(9.0)))
    for transposed in (False, True):
        found = fast.twin("apply_maps")(x, maps, transposed)
        assert found.transpose(0, 2, 3, 1).flags.c_contiguous
        assert_same(found, axismap.apply_maps(np.ascontiguousarray(x), maps, transposed), 1e-5)
        x = found


def test_maps_of_few_channels_that_lie_innermost_make_no_table_of_planes(monkeypatch):
    monkeypatch.setattr(axismap, "_table_of", lambda *args: pytest.fail("it did"))
    monkeypatch.setattr(fast, "limit", lambda name: 1 << 11)
    x = np.random.default_rng(0).random((2, 32, 32, 16), np.float32).transpose(0, 3, 1, 2)
    maps = (axismap.AxisMap(3, 32, np.arange(32) % 3, np.arange(32)),) * 2
    found = axismap.apply_maps(x, maps)
    monkeypatch.undo()
    assert_same(found, axismap.apply_maps(np.ascontiguousarray(x), maps), 1e-5)


@pytest.mark.parametrize("channels", [16, 19, 40])
def test_maxima_of_channels_that_lie_innermost_copy_no_planes(channels):
    x = np.random.default_rng(0).random((2, 7, 6, channels), np.float32).round(1)
    x[0, 3, 3, 1], x[1, :3, :3] = np.nan, -np.inf
    x = x.transpose(0, 3, 1, 2)
    where = (3, 3), (2, 1), (1, 1), (1, 2), True
    found = fast.twin("max_pool_2d")(x, *where)
    planes = fast.twin("max_pool_2d")(np.ascontiguousarray(x), *where)
    assert_same(found, planes, 0)
    g = np.arange(found[0].size, dtype=np.float32).reshape(found[0].shape)
    slope = fast.twin("max_pool_backward")(g, found[1], x, False)
    assert_same(slope, numpy_twin("max_pool_backward")(g, planes[1], x, False), 0)
    for a in (*found, slope):
        assert a.transpose(0, 2, 3, 1).flags.c_contiguous


@pytest.mark.parametrize(("name", "rest"), [("lerp", ()), ("addcmul", (0.5,)), ("addcdiv", (2.0,))])
def test_operands_are_expanded_to_a_large_first_one(name, rest):
    make = np.random.default_rng(0).random
    x, row, column = (make(n, np.float32) + 1 for n in ((300, 200), 200, (300, 1)))
    for a, b, c in ((x, row, column), (x.reshape(200, 300).T, column, row)):
        found = fast.twin(name)(a, b, c, *rest)
        assert found is not None and found.strides == a.strides
        assert_same(found, numpy_twin(name)(a, b, c, *rest), 1e-5)
        assert fast.twin(name)(b, a, c, *rest) is None
    assert fast.twin(name)(x, row[:7], column, *rest) is None
    assert fast.twin(name)(x, x[None], column, *rest) is None


@pytest.mark.parametrize("name", sorted(fast.SLOPES))
def test_a_gradient_that_lies_turned_is_copied_for_its_twin(name):
    for g, x, *rest in examples.Calls("float32")[name]:
        found = fast.beside_dense(name, np.asfortranarray(g), x, *rest)
        assert (found is None) == (g.shape != x.shape)
        if found is not None:
            assert_same(found, fast.twin(name)(g, x, *rest), 0)


@pytest.mark.parametrize("name", sorted(fast.IN_PLACE))
def test_a_twin_writes_in_place(name):
    """The same numbers in the first array's memory, or it declines."""
    for first, *rest in examples.Calls("float32")[name]:
        expected = fast.twin(name)(first, *rest)
        target = first.copy()
        result = fast.twin(name)(target, *rest, out=target)
        if result is None:
            assert target.shape != expected.shape or target.dtype != expected.dtype
            assert_same(target, first, 0)
        else:
            assert result is target
            assert_same(target, expected, 0)


@pytest.mark.parametrize("hide", [
    lambda x, mask: x.masked_fill(mask, -5.0), lambda x, mask: x.clone().masked_fill_(mask, -5.0),
    lambda x, mask: torch.where(mask, torch.tensor(-5.0), x),
    lambda x, mask: x.clone().index_put_((mask.expand(x.shape),), torch.tensor(-5.0))])
def test_masks_of_large_tensors(hide):
    """One for each number, or for all heads, queries or keys, and beside columns."""
    x = large(4, 3, 30, 70, seed=3)
    flat = x.numpy()
    for shape in ((4, 3, 30, 70), (30, 70), (4, 1, 1, 70), (4, 1, 30, 1), (1, 3, 1, 1)):
        mask = np.random.default_rng(0).random(shape) < 0.3
        expected = np.where(mask, np.float32(-5), flat)
        np.testing.assert_array_equal(hide(x, torch.from_numpy(mask)).numpy(), expected)
    turned = hide(x.transpose(1, 3), torch.from_numpy(flat > 0).transpose(1, 3)).transpose(1, 3)
    np.testing.assert_array_equal(turned.numpy(), np.where(flat > 0, np.float32(-5), flat))


def test_a_gradient_does_not_pass_a_large_mask():
    x, mask = large(5, 60, 70).requires_grad_(), torch.ones(60, 70, dtype=torch.bool).tril()
    x.masked_fill(mask, 2.0).sum().backward()
    assert torch.equal(x.grad, (~mask).float().expand(5, 60, 70))


@pytest.mark.parametrize("name", ["sin", "cos"])
def test_waves_of_float64(name):
    """Also beside multiples of pi / 2, where little is left of a number; far ones are NumPy's."""
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.standard_normal(20_000) * s for s in (1e-9, 1, 1e3, 1e7)]
                       + [np.arange(-300, 300) * (np.pi / 2)])
    true = getattr(np, name)(x.astype("longdouble"))
    units = abs(fast.twin(name)(x) - true) / np.spacing(abs(true).astype("f8"))
    assert units.max() < 2
    zero = np.array([0.0, -0.0, 1e9 if name == "cos" else 0.0])
    signs = [np.signbit(f(zero)) for f in (fast.twin(name), getattr(np, name))]
    np.testing.assert_array_equal(*signs)


def test_a_product_of_float32_numbers_has_room_on_its_way():
    """What is smaller than float32's least number is not lost, nor do such numbers take long."""
    x = np.repeat(np.array([1e-20, 1e20], "f4"), 7)
    found = fast.twin("prod_all")(x), fast.twin("prod_dim")(x.reshape(1, -1), 1, False)
    for product in found:
        assert product.dtype == x.dtype
        np.testing.assert_allclose(product, 1, 1e-6)


def test_logaddexp_of_what_is_infinite():
    inf, nan = np.inf, np.nan
    x, y = (np.array(a, "f4") for a in ([inf, inf, -inf, -inf, 5, nan, 5, -inf],
                                        [inf, -inf, -inf, inf, -inf, 5, nan, 5]))
    expected = [inf, inf, -inf, inf, 5, nan, nan, 5]
    np.testing.assert_array_equal(fast.twin("logaddexp")(x, y), expected)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_exponentials_of_what_a_mask_hides(dtype):
    """0, or -1 less, where they vanish."""
    x = np.linspace(-1500, 5, 4001).astype(dtype)
    x[::7] = -np.inf
    x[::11] = -1e9
    assert (fast.twin("elu")(x, 1.0, 1.0, 1.0)[x < -40] == -1).all()
    share = np.exp(x - 5)
    y = x.reshape(1, -1)
    for name, expected in (("softmax_dim", share / share.sum()),
                           ("log_softmax_dim", x - 5 - np.log(share.sum()))):
        for at, turned in ((y, 1), (np.ascontiguousarray(y.T), 0)):
            found = fast.twin(name)(at, turned)
            np.testing.assert_allclose(found.ravel(), expected, 1e-5, np.finfo(dtype).tiny)
    assert np.isnan(fast.twin("softmax_dim")(np.full((1, 3000), -np.inf, dtype), 1)).all()


def large(*shape, seed=0):
    return torch.from_numpy(examples.normal("float32", *shape, seed=seed))


IN_PLACE_CALLS = {
    "numbers": lambda x, y: x.mul_(2).add_(0.5).clamp_(-1, 1).relu_(),
    "arrays": lambda x, y: x.add_(y, alpha=0.5).addcmul_(y, y, value=0.1).lerp_(y, 0.3),
    "row and column": lambda x, y: x.add_(y[0]).mul_(y[:, :1]),
    "itself": lambda x, y: x.mul_(x).sub_(x[0].clone()),
    "part": lambda x, y: x[:, 1:].mul_(y[:, :-1]) if x[:, 1:].neg_() is not None else None,
    "inside": lambda x, y: x[1:-1, 2:-2].sub_(y[:-2, :-4]).mul_(y[0, 4:]).add_(y[2:, :1]).div_(3),
    "between": lambda x, y: x.view(20, 30, 300)[:, 1:-1].add_(y.view(20, 30, 300)[:, :1]),
    "functions": lambda x, y: x.abs_().sqrt_().tanh_().sin_(),
}


@pytest.mark.parametrize("name", IN_PLACE_CALLS)
def test_writing_large_tensors_in_place(name, monkeypatch):
    results = []
    for enabled in True, False:
        if not enabled:      # `has` would be asked once, for good, where an operator is first met
            monkeypatch.setattr(fast, "twin", lambda name: lambda *args, **options: None)
        x, y = large(600, 300), large(600, 300, seed=1)
        version = x._version
        IN_PLACE_CALLS[name](x, y)
        assert x._version > version
        results.append(x.numpy())
    assert_same(*results, 1e-5)


def test_scaled_sums_of_few_numbers_round_once():
    """As in PyTorch, and as they always did in place: their kernels begin at 256 numbers."""
    x, y = examples.normal("float32", 256), examples.normal("float32", 256, seed=1)
    once = (x + np.float64(np.float32(0.3)) * y).astype(np.float32)
    a, b = torch.from_numpy(x.copy()), torch.from_numpy(y)
    assert torch.add(a, b, alpha=0.3).numpy().tobytes() == once.tobytes()
    assert a.add_(b, alpha=0.3).numpy().tobytes() == once.tobytes()


@pytest.mark.parametrize("name", ["gather", "scatter", "scatter_add"])
def test_an_index_may_be_one_row_expanded(name, monkeypatch):
    """And what is compiled gives the same, in place, too."""
    x = examples.normal("float32", 40, 70)
    index = (torch.arange(70).flip(0) // 2).expand(40, 70)
    src = () if name == "gather" else (torch.from_numpy(x * 2),)
    kernel = [getattr(torch.from_numpy(x), name)(1, i, *src).numpy()
              for i in (index, index.contiguous())]
    written = torch.from_numpy(x.copy())
    if src:
        getattr(written, name + "_")(1, index, *src)
        assert_same(written.numpy(), kernel[0], 0)
    monkeypatch.setattr(fast, "twin", lambda name: lambda *args: None)
    plain = getattr(torch.from_numpy(x), name)(1, index, *src).numpy()
    assert_same(kernel[0], kernel[1], 0)
    assert_same(kernel[0], plain, 1e-6)


@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("reduce", ["sum", "prod", "mean", "amax", "amin"])
def test_an_index_may_be_one_column_expanded(reduce, include_self, monkeypatch):
    """It names whole rows: what is compiled gives what single places give, and NumPy."""
    x = torch.from_numpy(examples.normal("float32", 120, 70))
    rows = torch.arange(120) * 7 % 30
    src = torch.from_numpy(examples.normal("float32", 120, 70))
    index = rows[:, None].expand(120, 70)

    def results():
        return [x.scatter_reduce(0, i, src, reduce, include_self=include_self).numpy()
                for i in (index, index.contiguous())]
    kernel = results()
    if reduce != "sum":
        kernel.append(x.index_reduce(0, rows, src, reduce, include_self=include_self).numpy())
    monkeypatch.setattr(fast, "twin", lambda name: lambda *args: None)
    plain, _ = results()
    for found in kernel:
        assert_same(found, plain, 1e-6)


@pytest.mark.parametrize("queries", [1, 2, 3])
def test_attention_of_few_queries_to_many_keys(queries):
    q, k, v = (examples.normal("float32", 2, 3, n, 16, seed=n) for n in (queries, 500, 500))
    found = torch.nn.functional.scaled_dot_product_attention(*map(torch.from_numpy, (q, k, v)))
    scores = q @ k.swapaxes(-1, -2) / 4
    share = np.exp(scores - scores.max(-1, keepdims=True))
    assert_same(found.numpy(), share @ v / share.sum(-1, keepdims=True), 1e-5)


AT_ONCE = {
    "add_": lambda x, y: x.add_(y, alpha=0.5),
    "sub_": lambda x, y: x.sub_(y, alpha=0.5),
    "lerp_": lambda x, y: x.lerp_(y, 0.3),
    "addcmul_": lambda x, y: x.addcmul_(y, y, value=0.1),
    "addcdiv_": lambda x, y: x.addcdiv_(y, y, value=0.1),
}


@pytest.mark.parametrize("name", AT_ONCE)
def test_a_write_of_some_hundred_numbers(name, monkeypatch):
    """It is counted once, seen by who wants to see it, and refused where PyTorch refuses it."""
    x, y = large(400), large(400, seed=1)
    plain = x.clone()
    AT_ONCE[name](x, y)
    monkeypatch.setattr(fast, "has", lambda name: False)
    AT_ONCE[name](plain, y)
    monkeypatch.undo()
    assert_same(x.numpy(), plain.numpy(), 1e-6)
    assert x._version == plain._version == 1
    assert x._cell[1][0] == name
    itself, expected = large(400).add_(1), large(400).add_(1)
    AT_ONCE[name](itself, itself)
    AT_ONCE[name](expected, expected.clone())
    assert_same(itself.numpy(), expected.numpy(), 1e-6)
    with pytest.raises(RuntimeError, match="single memory location"):
        AT_ONCE[name](x[1:], x[:-1])
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        AT_ONCE[name](x.requires_grad_(), y)
    recorded = AT_ONCE[name](x * 1, y)
    assert recorded.grad_fn is not None
    with torch.no_grad():
        AT_ONCE[name](x, y)
    assert x._version == 2


def test_gradients_of_large_writes_in_place():
    x, y = large(600, 300).requires_grad_(), large(600, 300, seed=1).requires_grad_()
    x.clone().mul_(y).add_(y, alpha=2).sum().backward()
    assert_same(x.grad.numpy(), y.detach().numpy(), 1e-6)
    assert_same(y.grad.numpy(), x.detach().numpy() + 2, 1e-6)
    z = x.clone().exp_()
    z.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()


CHANGING = (*UPDATES, "normal_blocks", *DRAWN, *SAMPLED, "add_at", "add_rows", "add_along",
            "put_along", "combine_along", "add_products", "native_batch_norm_of")
TRUTH = {
    "exp": (np.exp, 1),
    "tanh": (np.tanh, 2),
    "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), 2.5),
    "erf": (np.vectorize(math.erf), 2),
}


@pytest.mark.parametrize("dtype, wide", [("float32", "float64"), ("float64", "longdouble")])
@pytest.mark.parametrize("name", TRUTH)
@pytest.mark.filterwarnings("ignore:overflow")
def test_units_in_the_last_place(name, dtype, wide):
    function = getattr(scalar, name)

    def formula(x):
        return function(x)
    formula.__name__ = name            # code on disk goes by the name
    kernel = elementwise(formula)
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.standard_normal(20_000) * s for s in (1e-3, 1, 10, 60)]).astype(dtype)
    truth, most = TRUTH[name]
    true = truth(x.astype(wide))
    normal = np.isfinite(true.astype(dtype)) & (abs(true) > np.finfo(dtype).tiny)
    units = abs(kernel(x) - true)[normal] / np.spacing(abs(true).astype(dtype))[normal]
    assert units.max() <= most


def test_erfc_is_rounded_once():
    """To float32, also where it is smaller than its normal numbers."""
    x = np.concatenate([np.linspace(-5, 11, 60_001), [np.inf, -np.inf, np.nan]]).astype("float32")
    true = np.vectorize(math.erfc)(x.astype("float64"))
    units = abs(fast.twin("erfc")(x) - true) / np.spacing(true.astype("float32"))
    assert units[:-1].max() <= 0.51 and np.isnan(units[-1])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_exp_of_what_is_far_below_0(dtype):
    """Down to -inf: results smaller than normal numbers, then 0."""
    x = np.concatenate([np.arange(-2000, -80, 0.25), [-np.inf, -1e30, -176, -177, -1418, -1419]])
    x = x.astype(dtype)
    step = np.finfo(dtype).smallest_subnormal
    np.testing.assert_allclose(fast.twin("exp")(x), np.exp(x.astype("longdouble")).astype(dtype),
                               rtol=2 * np.finfo(dtype).eps, atol=step)
    assert not fast.twin("exp")(x[x < -750]).any()
    g = fast.twin("softmax_dim")(np.array([[-np.inf, 0, 0, -1e9]], dtype), 1)
    assert g.tolist() == [[0, 0.5, 0.5, 0]]


def test_a_kernel_takes_the_arrays_that_it_was_compiled_for_and_subclasses(tmp_path):
    gelu = activation.gelu
    x = np.linspace(-3, 3, 240, dtype="float32").reshape(6, 40)
    want = gelu(x)
    mapped = np.memmap(tmp_path / "x", "float32", "w+", shape=x.shape)
    mapped[...] = x
    for like in (x.reshape(3, 2, 40), x[:0], mapped, np.broadcast_to(x[0, 0], x.shape)):
        np.testing.assert_array_equal(gelu(like), want.reshape(-1)[:like.size].reshape(like.shape)
                                      if like.strides != (0, 0) else np.full(x.shape, want[0, 0]))
    np.testing.assert_array_equal(gelu(x.T), want.T)
    assert gelu(x.astype("int32")) is None
    unwritable = x.copy()
    unwritable.flags.writeable = False
    np.testing.assert_array_equal(gelu(unwritable), want)


def test_numbers_that_python_gives_a_kernel():
    plus = blend.plus
    x, y = np.arange(6, dtype="float32"), np.ones(6, "float32")
    for number in (-1.0, -1, np.float32(-1), np.int64(-1), True):
        np.testing.assert_array_equal(plus(x, y, number), x + np.float32(number))
    with pytest.raises(TypeError, match="must be real number, not str"):
        plus(x, y, "1")
    assert plus(x, y[:5], 1.0) is None and plus(x, y.astype("float64"), 1.0) is None


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["softmax_dim", "log_softmax_dim"])
@pytest.mark.parametrize("rows, n", [(64, 1), (65, 7), (130, 16), (200, 20)])
def test_short_rows_keep_their_infinities_to_themselves(name, rows, n, dtype):
    x = examples.normal(dtype, rows, n)
    x[3], x[5, 0], x[60, -1] = -np.inf, np.nan, np.inf
    x[7::9, 0] = -np.inf
    with np.errstate(invalid="ignore", divide="ignore"):
        np.testing.assert_allclose(fast.twin(name)(x, 1), numpy_twin(name)(x, 1), 1e-5, 1e-6)


@pytest.mark.parametrize("name", ["softmax_dim", "log_softmax_dim", "softmax_backward",
                                  "log_softmax_backward"])
@pytest.mark.parametrize("rows, n", [(1, 1), (205, 10), (3, 1500), (1030, 1), (2, 1024)])
def test_rows_shorter_and_longer_than_a_group(name, rows, n):
    rng = np.random.default_rng(0)
    x, y = (rng.standard_normal((rows, n)).astype("float32") for _ in range(2))
    result = getattr(kernels, name.replace("_backward", "_dim"))(y, 1)
    args = (x, 1) if name.endswith("_dim") else (x, result, 1)
    np.testing.assert_allclose(fast.twin(name)(*args), numpy_twin(name)(*args), 1e-5, 1e-6)


@pytest.mark.parametrize("name", ["softmax_dim", "log_softmax_dim", "softmax_backward",
                                  "log_softmax_backward"])
@pytest.mark.parametrize("shape", [(300, 5, 4), (7, 4000, 2), (5, 9000, 3), (9, 7, 63), (1, 2, 2),
                                   (2, 3, 300), (65, 4, 8, 8)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_columns_beside_those_of_other_arrays(name, shape, dtype):
    x, y = examples.normal(dtype, *shape), examples.normal(dtype, *shape)[::-1].copy()
    if name.endswith("_dim"):
        x[0, 1], y[-1, 0] = np.nan, np.inf
        x[0, 0].flat[0], x[-1, :, 0] = np.inf, -np.inf
        args = x, 1
    else:
        args = x, getattr(kernels, name.replace("_backward", "_dim"))(y, 1), 1
    with np.errstate(invalid="ignore", divide="ignore"):
        np.testing.assert_allclose(fast.twin(name)(*args), numpy_twin(name)(*args), 1e-5, 1e-6)


def test_the_logarithm_of_a_sum_of_columns():
    for n in (*range(1, 70), 1000, 1 << 16):
        found = fast.twin("log_softmax_dim")(np.zeros((1, n, 3)), 1)
        np.testing.assert_array_max_ulp(found, np.full((1, n, 3), -math.log(n)), 2)


@pytest.mark.parametrize("rows, n", [(1, 1), (205, 10), (3, 1500), (1030, 2)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_slopes_of_scores_are_those_of_the_two_kernels(rows, n, dtype):
    rng = np.random.default_rng(0)
    y = kernels.log_softmax_dim(rng.standard_normal((rows, n)).astype(dtype), 1)
    target = np.where(rng.random(rows) < 0.2, -100, rng.integers(0, n, rows))
    value = -0.3
    slopes = kernels.nll_slopes(y, target, np.array(value, dtype), None, -100)
    expected = numpy_twin("log_softmax_backward")(slopes, y, 1)
    for found in (fast.twin("cross_entropy_slopes")(y, target, value, -100),
                  numpy_twin("cross_entropy_slopes")(y, target, value, -100)):
        assert found.dtype == dtype
        np.testing.assert_allclose(found, expected, 1e-5, 1e-7)


def test_classes_that_are_none_are_left_to_numpy():
    x, fine = np.ones((300, 3), "float32"), np.arange(300) % 3
    for wrong in (3, -1, -2**62):
        target = np.where(np.arange(300) == 299, wrong, fine)
        assert fast.twin("nll_loss_forward")(x, target, None, 1, -100) is None
        assert fast.twin("cross_entropy_of_classes")(x, target, 1, -100) is None
        assert fast.twin("nll_slopes")(x, target, np.ones((), "float32"), None, -100) is None
        with pytest.raises(IndexError, match=f"Target {wrong} is out of bounds"):
            kernels.nll_loss_forward(x, target, None, 1, -100)
    loss, total = kernels.nll_loss_forward(x, fine, None, 1, 1)
    assert (loss, total) == (-1, 200)


@pytest.mark.parametrize("size", [(2, 3), (40, 10), (300, 130)])
@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("ignored", [-100, 1])
def test_cross_entropy_is_log_softmax_and_nll_loss(size, reduction, ignored):
    """To the same bits, and with the same graph, though one call of a kernel computes both."""
    rng = np.random.default_rng(0)
    x = torch.from_numpy(rng.standard_normal(size).astype("float32")).requires_grad_()
    target, F = torch.from_numpy(rng.integers(0, size[1], size[0])), torch.nn.functional
    at_once = F.cross_entropy(x, target, reduction=reduction, ignore_index=ignored)
    apart = F.nll_loss(F.log_softmax(x, 1), target, reduction=reduction, ignore_index=ignored)
    np.testing.assert_allclose(at_once.detach(), apart.detach(), 2e-7)
    gradients = [torch.autograd.grad(loss.sum(), x)[0] for loss in (at_once, apart)]
    assert torch.equal(*gradients)
    loss = F.cross_entropy(x, target, reduction=reduction, ignore_index=ignored).sum()
    node = loss.grad_fn.next_functions[0][0]
    (before, _), = node.next_functions
    assert [node.name(), before.name()] == ["NllLossBackward0", "LogSoftmaxBackward0"]
    scores = node._saved_self
    assert scores.grad_fn is before and torch.equal(scores, before._saved_result)
    with torch.no_grad():
        scores.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


@pytest.mark.parametrize("weight", [None, np.array([0.5, 2, 3, 0.25], "float32")])
@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_losses_of_ignored_and_weighted_classes(weight, reduction):
    """Of pixels: values and gradients by their definition, and nan as the mean of none."""
    rng = np.random.default_rng(0)
    x, target = rng.standard_normal((2, 4, 9, 11)).astype("float32"), rng.integers(0, 4, (2, 9, 11))
    target[0, :3] = 9
    scores, classes = torch.from_numpy(x).requires_grad_(), torch.from_numpy(target)
    w = weight if weight is None else torch.from_numpy(weight)
    loss = torch.nn.functional.nll_loss(scores, classes, w, ignore_index=9, reduction=reduction)
    loss.sum().backward()
    chosen = (np.arange(4)[:, None, None] == target[:, None]).astype("f8")      # none where ignored
    slopes = -chosen if weight is None else -chosen * weight[:, None, None]
    slopes = slopes / -slopes.sum() if reduction == "mean" else slopes
    expected = (slopes * x).sum(1) if reduction == "none" else (slopes * x).sum()
    np.testing.assert_allclose(loss.detach().numpy(), expected, 1e-5)
    np.testing.assert_allclose(scores.grad.numpy(), slopes, 1e-6)
    nothing = torch.nn.functional.nll_loss(scores, torch.full_like(classes, 9), w, ignore_index=9,
                                           reduction=reduction)
    assert nothing.isnan() if reduction == "mean" else not nothing.any()


@pytest.mark.parametrize("settings", [
    {}, {"momentum": 0.9}, {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1},
    {"momentum": 0.5, "dampening": 0.3, "maximize": True}])
@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "Adadelta", "Adagrad", "RMSprop"])
def test_a_small_parameter_is_updated_by_the_formulas_and_then_compiled(name, settings,
                                                                        monkeypatch):
    """To the same bits: who has made few steps does not load a kernel."""
    monkeypatch.setattr(fast, "OFTEN", 3)
    monkeypatch.setattr(fast, "in_use", lambda: False)
    known = inspect.signature(getattr(torch.optim, name)).parameters
    settings = {k: v for k, v in settings.items() if k in known}

    def steps():
        parameters = [torch.nn.Parameter(torch.linspace(-1, 1, 6, dtype=torch.float32).view(2, 3)),
                      torch.nn.Parameter(torch.tensor([torch.inf, 1.0])),
                      torch.nn.Parameter(torch.arange(6.0).view(2, 3).t())]
        optimizer = getattr(torch.optim, name)(parameters, lr=0.1, **settings)
        for k in range(7):
            assert (optimizer.twin(0) is not None) == (k > 3 and fast.has(optimizer.compiled))
            for p in parameters:
                p.grad = torch.full_like(p, 0.1 * k - 0.3)
            optimizer.step()
        return [p.tolist() for p in parameters]
    assert repr(steps()) == repr(without_twins(steps)())


@pytest.mark.parametrize("shape", [(), (3,), (200, 200)])
@pytest.mark.parametrize(("name", "before", "after"), [
    ("Adam", {"amsgrad": True}, {"amsgrad": False}), ("SGD", {"momentum": 0.9}, {"momentum": 0}),
    ("RMSprop", {"momentum": 0.9, "centered": True}, {"momentum": 0, "centered": False}),
    ("RMSprop", {"momentum": 0.9}, {"momentum": 0})])
def test_buffers_left_from_other_settings_are_not_read(name, before, after, shape):
    fast.twin("sgd_update")                              # as if others were in use

    def steps():
        p = torch.linspace(-1, 1, prod(shape)).view(shape).requires_grad_()
        optimizer = getattr(torch.optim, name)([p], lr=0.1, **before)
        for k in range(4):
            p.grad = p.detach() * 0.3 + k
            if k == 2:
                optimizer.param_groups[0].update(after)
            optimizer.step()
        return p.tolist()
    assert steps() == without_twins(steps)()


@pytest.mark.parametrize("name", ["SGD", "Adam", "Adadelta", "Adagrad", "RMSprop"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_small_parameters_are_updated_in_one_call(name, dtype):
    settings = {"momentum": 0.9} if name in ("SGD", "RMSprop") else {}

    def steps():
        sizes = (2, 3), (), (7000,), (0, 3), (1,)
        dtypes = [getattr(torch, dtype)] * 5 + [torch.float32]
        parameters = [torch.nn.Parameter(torch.linspace(-1, 1, 7000, dtype=kind)[:prod(size)]
                                         .clone().view(size))
                      for size, kind in zip((*sizes, (4,)), dtypes, strict=True)]
        rule = getattr(torch.optim, name)(parameters, lr=0.1, **settings)
        for k in range(4):
            for p in parameters[k == 2:]:                # one has no gradient now and then
                p.grad = torch.full_like(p, 0.1 * k - 0.3)
            rule.step()
            parameters[0].grad = None
        return [p.tolist() for p in parameters]
    fast.twin("sgd_update")                              # as if others were in use
    assert repr(steps()) == repr(without_twins(steps)())


def test_further_groups_of_arrays_are_all_updated_or_none():
    arrays = [np.arange(n, dtype="float32").reshape(shape)
              for n, shape in ((6, (2, 3)), (6, (2, 3)), (1, ()), (1, ()), (4, (4,)), (4, (4,)))]
    before = [a.copy() for a in arrays]
    numbers = 1.0, 0.0, 0.5
    optimizer.sgd_one(np.zeros(2, "f"), np.zeros(2, "f"), *numbers, chunk=8)       # compiled
    for rest in (arrays[2:5], [*arrays[2:5], arrays[4].astype("float64")],
                 [*arrays[2:5], arrays[5][:3]], [*arrays[2:5], None]):
        assert not optimizer.sgd_one.run(8, (*arrays[:2], *numbers, *rest))
    assert all(np.array_equal(a, b) for a, b in zip(arrays, before, strict=True))
    assert optimizer.sgd_one.run(8, (*arrays[:2], *numbers, *arrays[2:]))
    for a, b in zip(arrays[::2], before[::2], strict=True):
        assert np.array_equal(a, b / 2)


@pytest.mark.parametrize("name, rest", [
    ("threshold_backward", (0.5,)), ("sigmoid_backward", ()), ("tanh_backward", ()),
    ("leaky_relu_backward", (0.1,))])
@pytest.mark.parametrize("shape", [(300, 300), (1 << 16,), (1, 1 << 17, 1)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_gradient_of_a_sum_is_not_written_out(name, rest, shape, dtype):
    """One number expanded gives the same bits as an array of it."""
    x = np.linspace(-3, 3, prod(shape), dtype=dtype).reshape(shape)
    g = np.broadcast_to(np.array(0.3, dtype), shape)
    found = fast.twin(name)(g, x, *rest)
    assert found.shape == shape and found.dtype == x.dtype
    assert np.array_equal(found, fast.twin(name)(g.copy(), x, *rest))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_logarithm_of_a_sum_over_all_of_a_vector_has_no_dimensions(dtype):
    x = np.linspace(-3, 3, fast.LARGE * 2, dtype=dtype)
    expected = np.log(np.exp(x.astype("float64")).sum())
    for keepdim, shape in ((False, ()), (True, (1,))):
        found = fast.twin("logsumexp")(x, (0,), keepdim)
        assert found.shape == shape and found.dtype == dtype
        np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("lie", [
    lambda x: x.t(), lambda x: x[:, ::2], lambda x: x[:1].expand(9, -1)])
@pytest.mark.parametrize("f", [
    lambda y: (y**2).sum(), lambda y: y.max(), lambda y: y.median(), lambda y: (3 / y).mean(),
    lambda y: torch.xlogy(y, y.detach()).sum(), lambda y: torch.xlogy(y, y.mean()).mean()])
def test_a_scalar_of_numpys_meets_arrays_that_lie_otherwise(lie, f):
    """As in the gradient of a sum: a scalar is no array, whose elements a kernel would look for."""
    values = np.linspace(1, 2, 90_000, dtype="f").reshape(300, 300)
    x, y = (torch.from_numpy(values.copy()).requires_grad_() for _ in range(2))
    f(lie(x)).backward()
    f(lie(y).contiguous()).backward()
    torch.testing.assert_close(x.grad, y.grad)


def test_a_kernel_refuses_arrays_of_other_kinds():
    rows = softmax.logsumexp_rows
    x = np.ones((3, 4), "float32")
    with pytest.raises(AttributeError):
        rows(x, None, chunk=8)
    with pytest.raises(ValueError, match="argument"):
        rows(x, chunk=8)


def in_process(code, **environment):
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True,
                          text=True, env={**os.environ, **environment})
    assert done.returncode == 0, done.stderr
    return done


STEP = """
import sys, numpy as np, retrograd as torch
x = torch.ones({n}, requires_grad=True)
torch.exp(x).sum().backward()
assert np.allclose(x.grad, np.e)
print("retrograd.kernels.fast.pool" in sys.modules)
"""


def test_small_programs_load_no_kernels():
    assert in_process(STEP.format(n=1000)).stdout == "False\n"
    assert in_process(STEP.format(n=100_000)).stdout == "True\n"
    assert in_process(STEP.format(n=100_000), RETROGRAD_FAST="0").stdout == "False\n"


PAIRS = """
import sys, numpy as np, retrograd as torch
x, y = torch.randn({n}, 1, 3), torch.randn({n}, 3)
assert np.array_equal((x - y).numpy(), x.numpy() - y.numpy())
print("retrograd.kernels.fast.pool" in sys.modules)
"""


def test_kernels_add_rows_that_lie_apart(monkeypatch):
    """Of fewer numbers than they are asked for else; the same as NumPy's."""
    asked, twin = [], fast.twin
    monkeypatch.setattr(fast, "twin", lambda name: asked.append(name) or twin(name))
    u, boxes = large(152, 152), large(1500, 4)
    found = [u[2:, 1:-1] + u[:-2, 1:-1], u[1:-1, 2:] * u[:150, :150], u[:150] - u[2:],
             boxes[:, 2:] - boxes[:, :2], u[2:102, 2:102] + u[:100, :100]]
    some = fast.APART < 20_000 < fast.limit("add") and fast.ROWS > 100
    assert asked == ["add", "mul", "sub"] if some else asked
    n, corners = u.numpy(), boxes.numpy()
    for x, y in zip(found, (n[2:, 1:-1] + n[:-2, 1:-1], n[1:-1, 2:] * n[:150, :150],
                            n[:150] - n[2:], corners[:, 2:] - corners[:, :2],
                            n[2:102, 2:102] + n[:100, :100]), strict=True):
        np.testing.assert_array_equal(x.numpy(), y)
        assert x.is_contiguous()


def test_the_size_of_the_result_decides_where_arrays_broadcast():
    assert in_process(PAIRS.format(n=35)).stdout == "False\n"
    assert in_process(PAIRS.format(n=40)).stdout == "True\n"


def test_code_is_kept_on_disk_and_numba_is_imported_only_to_compile(tmp_path):
    def compiles():
        done = in_process(STEP.format(n=100_000) + "print('numba' in sys.modules)",
                          RETROGRAD_CACHE=str(tmp_path))
        times = done.stderr.count("compiling kernels")
        assert times <= 1 and done.stdout == f"True\n{times == 1}\n"
        return times == 1

    assert compiles() and not compiles()
    min(tmp_path.iterdir(), key=lambda file: file.stat().st_size).write_bytes(b"spoilt")
    assert compiles()


def test_loops_use_whole_vectors_and_numba_stays_as_it_is():
    import numba

    codegen = numba.core.registry.cpu_target.target_context.codegen()
    libraries = numba.core.codegen.CPUCodeLibrary

    def doubled(x):
        for i in range(x.size):
            x[i] *= 2

    def settings():
        return (codegen._tm, codegen.set_env, codegen.magic_tuple(),
                libraries._optimize_final_module, libraries._finalize_final_module)
    before = settings()
    with machine.settings(codegen, doubled.__qualname__):
        made = numba.njit("void(float32[::1])")(doubled)
    if "+avx512f" in codegen.magic_tuple()[2].split(","):
        assert "zmm" in "".join(made.inspect_asm().values())
    assert settings() == before
    x = np.ones(100, np.float32)
    numba.njit(doubled)(x)
    assert (x == 2).all()


def test_kernels_that_were_loaded_work_beside_numba():
    """Numba's helpers are in the process twice then."""
    code = STEP.format(n=100_000) + """
import numba
@numba.njit
def squares(n):
    return (np.arange(n) ** 2).reshape(2, -1)
assert squares(4)[1, 1] == 9
try:
    squares(5)
except ValueError:
    y = torch.softmax(torch.ones(300, 300), 0)          # it allocates
    print(torch.allclose(y, torch.tensor(1 / 300)))
"""
    assert in_process(code).stdout == "True\nTrue\n"


def test_code_of_other_versions_is_kept_for_a_month(tmp_path):
    new, recent, old, another = [tmp_path / name for name in (
        "pool.help_out-12-ab", "pool.help_out-12-cd", "pool.help_out-12", "pool.help_out-13-cd")]
    for path in new, recent, old, another:
        path.touch()
    for path in old, another:
        os.utime(path, (0, 0))
    disk.remove_old(new)
    assert {*tmp_path.iterdir()} == {new, recent, another}


def test_the_sources_of_a_kernel_are_the_modules_it_imports():
    def imported(path):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level == 1:
                yield from [node.module] if node.module else [a.name for a in node.names]

    for module, path in disk.MODULES.items():
        assert disk.imported(module) == set(imported(path)) & disk.MODULES.keys(), module
    assert disk.imported("a_module_of_another_folder") == set(disk.MODULES)
    assert disk.fingerprint("matmul") != disk.fingerprint("norm")


def test_no_folder_to_keep_code_in(tmp_path):
    (tmp_path / "file").write_text("")
    done = in_process(STEP.format(n=100_000), RETROGRAD_CACHE=str(tmp_path / "file" / "below"))
    assert done.stdout == "True\n"


def test_code_is_bound_to_its_name(tmp_path, monkeypatch):
    monkeypatch.setenv("RETROGRAD_CACHE", str(tmp_path))
    disk.write("pool.one", "symbol", b"code")
    assert disk.read("pool.one") == ("symbol", b"code")
    disk.path_of("pool.other").write_bytes(disk.path_of("pool.one").read_bytes())
    disk.path_of("pool.half").write_bytes(disk.path_of("pool.one").read_bytes()[:40])
    assert disk.read("pool.other") is disk.read("pool.half") is disk.read("pool.none") is None


def test_nothing_is_left_of_code_that_cannot_be_written(tmp_path, monkeypatch):
    def full(*args):
        raise OSError("No space left on device")
    monkeypatch.setenv("RETROGRAD_CACHE", str(tmp_path))
    monkeypatch.setattr(disk.os, "replace", full)
    disk.write("pool.one", "symbol", b"code")
    assert [*tmp_path.iterdir()] == []


def test_warmup_says_first_that_nothing_can_be_kept(tmp_path, monkeypatch, capsys):
    from retrograd.cli import main

    (tmp_path / "file").write_text("")
    monkeypatch.setenv("RETROGRAD_CACHE", str(tmp_path / "file" / "below"))
    monkeypatch.setattr(examples, "warm_up", lambda: pytest.fail("it was not asked"))
    assert main(["warmup"]) == 1
    told = capsys.readouterr()
    assert told.out == "" and "set RETROGRAD_CACHE to a folder that can be" in told.err


def test_a_numba_that_cannot_be_imported(tmp_path):
    (tmp_path / "numba.py").write_text("raise ImportError('Numba needs NumPy 1.0 or less')")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r})" + STEP.format(n=100_000)
    assert in_process(code).stderr.count("Numba needs NumPy 1.0 or less") == 1


def test_callers_at_the_same_time():
    x = np.random.default_rng(0).standard_normal(300_000)
    true, wrong = np.exp(x), []

    def work():
        for _ in range(20):
            if not np.allclose(fast.twin("exp")(x), true, 1e-14):
                wrong.append(threading.get_ident())

    callers = [threading.Thread(target=work) for _ in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert not wrong


def test_first_callers_at_the_same_time():
    code = """
import threading, numpy as np, retrograd as torch
from retrograd.kernels import fast
x, right = np.zeros(40_000), []
def work():
    for name in "exp", "gelu_by", "tanh":
        right.append((fast.twin(name)(x) == float(name == "exp")).all())
callers = [threading.Thread(target=work) for _ in range(4)]
for caller in callers:
    caller.start()
for caller in callers:
    caller.join()
print(len(right), all(right))
"""
    assert in_process(code).stdout == "12 True\n"


def test_the_number_of_threads_changes_no_result():
    x = np.random.default_rng(0).standard_normal(300_000).astype("float32")
    before, there = torch.get_num_threads(), pool.board[pool.HELPERS]
    try:
        results = []
        for count in 1, 2, 3:
            torch.set_num_threads(count)
            results.append(fast.twin("exp")(x))
            assert pool.board[pool.HELPERS] <= max(there, count - 1)
    finally:
        torch.set_num_threads(before)
    assert (results[0] == results[1]).all() and (results[0] == results[2]).all()


@pytest.mark.parametrize("count", [1, 2, 3])
def test_every_chunk_is_done_once(count):
    @kernel
    def one_more(x):
        for i in range(len(x)):
            x[i] += 1

    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        for size, chunk in (1, 1), (7, 3), (7, 6), (7, 7), (1000, 1), (1001, 10):
            x = np.zeros(size)
            one_more(x, chunk=chunk)
            assert (x == 1).all(), (size, chunk)
    finally:
        torch.set_num_threads(before)


def test_a_system_that_allows_no_more_threads(monkeypatch):
    @kernel
    def one_more(x):
        for i in range(len(x)):
            x[i] += 1

    def refuse(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    x = np.zeros(10)
    for count in 1, 2, 100:
        monkeypatch.setattr(fast, "threads", count)
        one_more(x, chunk=3)
    assert (x == 3).all()


def test_threads_that_slept_are_woken():
    """All of the other thread's work is done, and the process ends beside it."""
    code = """
import time, numpy as np, retrograd as torch
from retrograd.kernels.fast import pool
torch.set_num_threads(2)
x = torch.ones(300_000)
x.exp()
while not pool.board[pool.ASLEEP]:
    time.sleep(0.001)
assert torch.equal(x.exp(), x.exp())
while not pool.board[pool.ASLEEP]:
    time.sleep(0.001)
print("again")
"""
    assert in_process(code).stdout == "again\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:This process")
def test_after_a_fork():
    x = np.ones(300_000)
    fast.twin("exp")(x)
    child = os.fork()
    if child == 0:
        os._exit(0 if np.allclose(fast.twin("exp")(x), np.e) else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_warmup_says_when_there_is_nothing_to_do(monkeypatch, capsys):
    from retrograd.cli import main

    monkeypatch.setattr(examples, "warm_up", lambda: 3)
    assert main(["warmup"]) == 0
    assert capsys.readouterr().out.startswith("3 kernels are ready in ")
    monkeypatch.setattr(fast, "enabled", lambda: False)
    assert main(["warmup"]) == 1
    assert "RETROGRAD_FAST=0" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["lgamma", "digamma"])
def test_nan_comes_out_of_the_gamma_functions(name):
    assert np.isnan(numpy_twin(name)(np.array([np.nan, 2.0]))).tolist() == [True, False]


@pytest.mark.parametrize("outputs", [16, 4])           # in the lanes of vectors, or positions
def test_long_sums_of_convolutions_are_summed_in_parts(outputs):
    x, w = examples.normal("float32", 2, 256, 6, 6), examples.normal("float32", outputs, 256, 3, 3)
    arguments = (2, outputs, 6, 6), (1, 1), (1, 1), (1, 1), 1
    true = conv.correlate(x.astype(float), w.astype(float), *arguments)
    error = np.sqrt(np.mean((fast.twin("correlate")(x, w, *arguments) - true) ** 2))
    units = error / np.std(true) / np.finfo("float32").eps
    assert units < 3                # 2304 products one after the other would make it 6


@pytest.mark.parametrize("images", [1, 5])
@pytest.mark.parametrize("outputs, groups", [(80, 1), (96, 3)])
def test_convolutions_whose_units_share_outputs(images, outputs, groups, monkeypatch):
    """As those of many weights and few positions do: all images meet some of the weights."""
    from retrograd.kernels.fast import conv as twins
    from retrograd.kernels.fast import readings
    monkeypatch.setattr(readings, "HEAVY", 0)
    plans = twins.correlation_plan, twins.spread_plan
    where = (2, 1), (1, 1), (1, 1), groups
    x = examples.normal("float32", images, 48 * groups, 9, 8)
    w, b = examples.normal("float32", outputs, 48, 3, 3), examples.normal("float32", outputs)
    g = examples.normal("float32", *conv.output_shape(x.shape, w.shape, *where[:3]))
    try:
        for plan in plans:
            plan.cache_clear()
        assert_same(fast.twin("correlate")(x, w, g.shape, *where, b),
                    conv.correlate(x, w, g.shape, *where, b), 1e-4)
        assert_same(fast.twin("spread")(g, w, x.shape, *where),
                    conv.spread(g, w, x.shape, *where), 1e-4)
    finally:
        for plan in plans:
            plan.cache_clear()


@pytest.mark.parametrize("shape, kernel, compiled", [
    ((1, 32, 8, 8), (32, 32, 3, 3), True),           # 2,048 elements, 590,000 products
    ((1, 32, 8, 8), (8, 32, 3, 3), True),            # a quarter of them
    ((1, 32, 8, 8), (2, 32, 3, 3), False),           # a sixteenth
    ((1, 64, 4, 4), (200, 64, 1, 1), False),         # more, but only one element
    ((1, 3, 8, 8), (32, 3, 3, 3), False)])
def test_convolutions_of_few_elements_by_many_weights_are_compiled(
        shape, kernel, compiled, monkeypatch):
    asked, twin = set(), fast.twin
    monkeypatch.setattr(fast, "twin", lambda name: asked.add(name) or twin(name))
    x, w = (examples.normal("float32", *n) for n in (shape, kernel))
    where = (1, 1), tuple(k // 2 for k in kernel[2:]), (1, 1)
    g = examples.normal("float32", *conv.output_shape(shape, kernel, *where))
    calls = {"convolution": (x, w, None, *where, False, (0, 0), 1),
             "correlate": (x, w, g.shape, *where, 1), "spread": (g, w, shape, *where, 1),
             "correlate_weight": (g, x, kernel, *where, 1)}
    for name, args in calls.items():
        choosing = getattr(kernels, name)
        assert_same(choosing(*args), choosing.plain(*args), 1e-4)
    assert asked == (set(calls) if compiled else set())


@pytest.fixture
def squares(monkeypatch):
    """Every convolution of 3 x 3 elements is computed by squares of results."""
    from retrograd.kernels.fast import winograd, winograd_weight
    for name, value in {"WIDE": True, "PRODUCTS": 1, "GAIN": 0, "NEAR": 1 << 30}.items():
        monkeypatch.setattr(winograd, name, value)
    monkeypatch.setattr(winograd.suits_squares, "__defaults__", (1, 1))
    monkeypatch.setattr(winograd_weight, "LEAST", 1)


@pytest.mark.parametrize("shape, outputs, padding", [
    ((1, 1, 7, 8), 1, (0, 0)),
    ((7, 3, 5, 6), 5, (1, 1)),                  # several images at a time
    ((2, 20, 9, 150), 30, (2, 0)),              # rows of more squares than are taken at a time
    ((1, 17, 31, 44), 70, (0, 1)),              # panels of four vectors and of one
    ((1, 33, 12, 17), 49, (1, 2)),
    ((3, 300, 8, 7), 4, (1, 1))])
def test_convolutions_by_squares_of_results(shape, outputs, padding, squares):
    from retrograd.kernels.fast import conv as twins
    from retrograd.kernels.fast import conv_weight
    x, w = examples.normal("float32", *shape), examples.normal("float32", outputs, shape[1], 3, 3)
    b, where = examples.normal("float32", outputs), ((1, 1), padding, (1, 1), 1)
    g = examples.normal("float32", *conv.output_shape(shape, w.shape, *where[:3]))
    calls = ((twins, "correlate", (x, w, g.shape, *where, b)),
             (twins, "spread", (g, w, shape, *where)),
             (conv_weight, "correlate_weight", (g, x, w.shape, *where)))
    for twin, name, args in calls:
        one, two = (shared_by(threads, getattr(twin, name), *args) for threads in (1, 2))
        assert one.tobytes() == two.tobytes()
        truth = getattr(conv, name)(*(a.astype("f8") if isinstance(a, np.ndarray) else a
                                      for a in args))
        np.testing.assert_allclose(two, truth, 0, 3e-6 * abs(truth).max())


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_squares_of_results_that_are_not_finite_are_computed_directly(value, squares):
    from retrograd.kernels.fast import conv as twins
    from retrograd.kernels.fast import conv_weight, winograd, winograd_weight
    x, w = examples.normal("float32", 2, 3, 8, 9), examples.normal("float32", 4, 3, 3, 3)
    x[1, 2, 4, 5] = value
    where = (2, 4, 8, 9), (1, 1), (1, 1), (1, 1), 1
    assert winograd.correlate_squares(x, w, None, (1, 1), (8, 9)) is None
    assert_same(twins.correlate(x, w, *where), conv.correlate(x, w, *where), 1e-5)
    g = examples.normal("float32", 2, 4, 8, 9)
    assert winograd_weight.weights_by_squares(g, x, (1, 1)) is None
    where = w.shape, (1, 1), (1, 1), (1, 1), 1
    assert_same(conv_weight.correlate_weight(g, x, *where), conv.correlate_weight(g, x, *where),
                1e-5)


def test_squares_keep_zeros_where_all_products_are_zeros(squares):
    """A result depends on its own 3 x 3 numbers alone."""
    from retrograd.kernels.fast import conv as twins
    x, w = np.zeros((1, 2, 12, 12), "f"), examples.normal("float32", 3, 2, 3, 3)
    x[0, :, 5, 6] = 1e30
    y = twins.correlate(x, w, (1, 3, 12, 12), (1, 1), (1, 1), (1, 1), 1)
    assert np.count_nonzero(y[0, :, 4:7, 5:8]) == 27 == np.count_nonzero(y)


def test_strides_leave_a_convolution_fewer_products(monkeypatch):
    x, w = examples.normal("float32", 1, 32, 8, 8), examples.normal("float32", 8, 32, 3, 3)
    with monkeypatch.context() as patch:
        patch.setattr(fast, "twin", None)                                # is not asked
        y = kernels.convolution(x, w, None, (2, 2), (1, 1), (1, 1), False, (0, 0), 1)
    assert y.shape == (1, 8, 4, 4)


def test_convolutions_of_what_is_infinite_or_lies_otherwise():
    """An infinite element reaches what it meets; gradients that might spread it are left alone."""
    normal, where = examples.normal, ((1, 1), (1, 1), (1, 1), 1)
    x, w = normal("float32", 2, 3, 7, 9), normal("float32", 4, 3, 3, 3)
    g = normal("float32", 2, 4, 7, 9)
    turned = np.asfortranarray(x)
    assert_same(fast.twin("correlate")(turned, w, g.shape, *where),
                conv.correlate(x, w, g.shape, *where), 1e-5)
    assert_same(fast.twin("correlate_weight")(np.asfortranarray(g), turned, w.shape, *where),
                conv.correlate_weight(g, x, w.shape, *where), 1e-4)
    x[0, 1, 3, 8] = np.inf
    assert_same(fast.twin("correlate")(x, w, g.shape, *where),
                conv.correlate(x, w, g.shape, *where), 1e-5)
    assert_same(fast.twin("correlate_weight")(g, x, w.shape, *where),
                conv.correlate_weight(g, x, w.shape, *where), 1e-4)
    alone = examples.normal("float32", 3, 1, 3, 3), ((1, 1), (1, 1), (1, 1), 3)
    assert fast.twin("correlate_weight")(g[:, :3], x, alone[0].shape, *alone[1]) is None
    w[0, 0, 0, 0] = np.nan
    assert fast.twin("spread")(g, w, x.shape, *where) is None


TURNED = {
    "relu": lambda x, y: torch.relu(x),
    "sum": lambda x, y: x + y,
    "maximum": torch.maximum,
    "lerp": lambda x, y: torch.lerp(x, y, 0.3),
    "addcmul": lambda x, y: torch.addcmul(x, x, y, value=0.5),
    "relu_": lambda x, y: x.clone().relu_(),
    "sigmoid_": lambda x, y: x.clone().sigmoid_(),
    "clamp_": lambda x, y: x.clone().clamp_(-1, 1),
    "lerp_": lambda x, y: x.clone().lerp_(y, 0.1),
    "add_": lambda x, y: x.clone().add_(y, alpha=0.5),
    "mul_": lambda x, y: x.clone().mul_(y),
    "mul_, one row": lambda x, y: x.clone().mul_(y[:1]),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16], ids=str)
@pytest.mark.parametrize("name", TURNED)
def test_what_lies_alike_is_computed_in_its_own_order(name, dtype):
    """Of turned arrays, and of some that lie otherwise."""
    x, y = (large(230, 170, seed=s).to(dtype) for s in (0, 1))
    expected = TURNED[name](x, y)
    for turn in (lambda a: a.t().clone(memory_format=torch.contiguous_format).t(),
                 lambda a: torch.stack([a, a], 2)[:, :, 0]):
        laid = turn(x)
        for other in (turn(y), y):
            found = TURNED[name](laid, other)
            torch.testing.assert_close(found, expected)
            assert found.stride() == torch.empty_like(laid).stride()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("width", [1, 8, 17, 24, 40])
@pytest.mark.parametrize(("queries", "keys"), [(3, 2), (33, 65), (65, 17), (129, 64)])
def test_attention_of_any_width_reads_nothing_beside_the_rows(dtype, width, queries, keys):
    """Neither widths nor lengths are whole vectors; what lies beside the rows is nan."""
    rng = np.random.default_rng(0)

    def rows(length):
        beside = np.full((2, length, 3 * width + 1, 2 * width), np.nan, dtype)
        heads = beside[:, :, :3, :width]
        heads[...] = rng.standard_normal(heads.shape)
        return heads.transpose(0, 2, 1, 3)
    q, k, v, g = rows(queries), rows(keys), rows(keys), rows(queries)
    for causal in False, True:
        where = None, causal, 0.3
        out, logs = fast.twin("flash_attention")(q, k, v, *where)
        plain = numpy_twin("flash_attention")(q, k, v, *where)
        slopes = fast.twin("flash_attention_backward")(g, q, k, v, out, logs, *where)
        plain += numpy_twin("flash_attention_backward")(g, q, k, v, *plain, *where)
        for ours, expected in zip((out, logs, *slopes), plain, strict=True):
            np.testing.assert_allclose(ours, expected, 1e-4, 1e-5 if dtype == "float32" else 1e-12)


def test_attention_to_what_is_hidden_and_infinite():
    """0 times infinity is nan, so a block of queries may not leave such keys out."""
    q, k, v = (np.random.default_rng(n).normal(size=(1, 1, 130, 16)) for n in range(3))
    v[..., -1, :] = np.inf
    where = np.tri(130, dtype=bool), False, 0.2
    plain = numpy_twin("flash_attention")(q, k, v, *where)[0]
    assert np.isnan(plain).any()
    np.testing.assert_allclose(fast.twin("flash_attention")(q, k, v, *where)[0], plain)


@pytest.mark.parametrize("shape", [(300, 400), (120, 90), (8, 32, 40, 16)], ids=str)
def test_arrays_of_one_turned_order_are_combined_by_any_number_of_threads(shape):
    dims = (1, 0) if len(shape) == 2 else (0, 3, 1, 2)
    x, y = (examples.normal("float32", *shape, seed=n).transpose(dims) for n in range(2))
    for name in ("add", "sub", "mul", "div"):
        expected = getattr(np, {"div": "divide", "mul": "multiply", "sub": "subtract"}.get(
            name, name))(x, y)
        for threads in (1, 2, 5):
            found = shared_by(threads, getattr(torch, name), torch.from_numpy(x),
                              torch.from_numpy(y))
            assert found.stride() == tuple(s // 4 for s in x.strides)
            assert_same(found.numpy(), expected, 0)


@pytest.mark.parametrize("dims", [(0, 2, 1, 3), (2, 0, 1, 3), (1, 0, 2, 3), (0, 1, 2, 3)])
def test_rows_are_copied_by_several_threads(dims):
    a = examples.normal("float32", 9, 11, 30, 70)[:, 1:, 2:, 3:].transpose(dims)
    for threads in (1, 2, 5):
        found = shared_by(threads, fast.twin("clone_contiguous"), a)
        assert (found is None) == (threads == 1)
        assert found is None or found.flags.c_contiguous and found.tobytes() == a.tobytes()


@pytest.mark.parametrize("kind", ["f4", "f8", "i8", "c8"])
@pytest.mark.parametrize("columns", [2, 3, 8, 15])
def test_many_short_rows_are_copied_and_written_by_several_threads(kind, columns):
    a = np.arange(70 * 300 * 17).astype(kind).reshape(70, 300, 17)[1:, 2:, 1:1 + columns]
    short = columns * a.itemsize <= tile.BYTES
    for threads in (1, 2, 5):
        found = shared_by(threads, fast.twin("clone_contiguous"), a)
        assert found is not None or not short
        assert found is None or found.flags.c_contiguous and found.tobytes() == a.tobytes()
        wide = np.zeros((69, 298, 19), kind)
        written = shared_by(threads, fast.twin("overwrite"), wide[..., 2:2 + columns], a)
        assert written is not None
        np.testing.assert_array_equal(wide[..., 2:2 + columns], a)
        assert not wide[..., :2].any() and not wide[..., 2 + columns:].any()
    assert fast.twin("overwrite")(wide[:5, :, 2:2 + columns], a[:5]) is None        # few rows


def test_functions_of_many_short_rows_are_those_of_a_copy():
    x = torch.from_numpy(examples.normal("float32", 9000, 7))[:, 2:6]
    dense = x.clone(memory_format=torch.contiguous_format)
    for threads in (1, 2, 5):
        for f in (torch.exp, torch.relu, torch.sum, lambda x: x.sum(1), lambda x: x.max(1)[1],
                  lambda x: x.mean(0), lambda x: x.softmax(1), lambda x: x.cumsum(1),
                  lambda x: x.clamp(-1, 1), lambda x: x.topk(2, 1)[0]):
            found, expected = (shared_by(threads, f, a).numpy() for a in (x, dense))
            assert_same(found, expected, 1e-6)


def test_a_number_without_dimensions_has_no_rows():
    x = np.array(3, np.float32)
    assert fast.twin("sum_all")(x) == 3
    assert fast.twin("max_dim")(x, 0) is None


@pytest.mark.parametrize("dims", [(1, 0, 2), (2, 1, 0), (0, 2, 1)])
def test_arrays_of_two_orders_are_combined_in_that_of_the_first(dims):
    x = examples.normal("float32", 40, 50, 60).transpose(dims)
    y = 2 + abs(examples.normal("float32", *x.shape, seed=1))
    for name, plain in (("add", np.add), ("sub", np.subtract), ("mul", np.multiply)):
        function = getattr(torch, name)
        for threads in (1, 2, 5):
            for a, b in ((x, y), (y, x)):
                found = shared_by(threads, function, torch.from_numpy(a), torch.from_numpy(b))
                assert found.stride() == tuple(s // 4 for s in a.strides)
                assert_same(found.numpy(), plain(a, b), 0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["add", "sub", "mul", "div"])
def test_rows_that_lie_apart_are_combined_in_place_line_by_line(name, dtype, monkeypatch):
    memory, x = examples.normal(dtype, 60, 50), 1 + abs(examples.normal(dtype, 58, 47, seed=1))
    asked, twin = [], fast.twin
    monkeypatch.setattr(fast, "twin", lambda name: asked.append(name) or twin(name))
    for other in (x, x[0], x[:, :1], x[0, 0]):
        plain, ours = memory.copy(), memory.copy()
        part = plain[1:-1, 2:-1]
        numpy_twin(name)(part, other, out=part)
        view = torch.from_numpy(ours)[1:-1, 2:-1]
        getattr(view, name + "_")(torch.from_numpy(np.array(other)))
        assert ours.tobytes() == plain.tobytes()
    assert asked == [name] * 4
    with pytest.raises(RuntimeError, match="output with shape|must match"):
        view += torch.ones(3, 58, 47, dtype=view.dtype)
    with pytest.raises(RuntimeError, match="must match"):
        view += torch.ones(46, dtype=view.dtype)
    assert ours.tobytes() == plain.tobytes()


@pytest.mark.parametrize("hidden", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("all_hidden", [False, True])
def test_attention_of_one_query_to_what_is_hidden_and_infinite(hidden, all_hidden):
    q, k, v = (np.random.default_rng(n).normal(size=(1, 2, size, 16))
               for n, size in enumerate((1, 9, 9)))
    k[:, 1, 3] = hidden
    mask = np.full((2, 1, 9), not all_hidden)
    mask[0] = True
    where = mask, False, 0.2
    with np.errstate(invalid="ignore", divide="ignore"):
        plain = numpy_twin("attention_of_one")(q, k, v, *where)
    for found, expected in zip(fast.twin("attention_of_one")(q, k, v, *where), plain, strict=True):
        np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("turned", [False, True])
def test_one_query_reads_keys_where_they_lie(turned):
    """In a cache that is longer, and shared by heads."""
    memory = np.random.default_rng(0).normal(size=(2, 1, 50, 24)).astype("float32")
    k, v = (np.broadcast_to(memory[:, :, n:n + 30, 4:20], (2, 3, 30, 16)) for n in (0, 7))
    if turned:
        k, v = (np.asfortranarray(a) for a in (k, v))
    q = examples.normal("float32", 2, 1, 3, 16).transpose(0, 2, 1, 3)
    found = [shared_by(threads, fast.twin("attention_of_one"), q, k, v, None, False, 0.2)
             for threads in (1, 3)]
    for ours, expected in zip(found[0], numpy_twin("attention_of_one")(q, k, v, None, False, 0.2),
                              strict=True):
        np.testing.assert_allclose(ours, expected, 1e-5, 1e-6)
    assert found[0][0].tobytes() == found[1][0].tobytes()


def test_attention_adds_up_few_keys_at_a_time():
    """One sum over 4,096 keys would be off by a millionth of the output, on average."""
    q, k, v = (np.random.default_rng(n).normal(size=(1, 1, size, 32)).astype("float32")
               for n, size in enumerate((64, 4096, 4096)))
    found = fast.twin("flash_attention")(q, k, v, None, False, 0.2)[0]
    wide = numpy_twin("flash_attention")(*(x.astype("float64") for x in (q, k, v)), None, False,
                                         0.2)[0]
    assert abs(found - wide).mean() < 5e-7 * abs(wide).mean()


def test_products_give_the_blas_its_threads_back():
    matmul = pytest.importorskip("retrograd.kernels.fast.matmul")
    get, put = _blas.thread_functions()
    if put is None:
        pytest.skip("NumPy has another BLAS")
    before = get()
    a = np.random.default_rng(0).standard_normal((300, 300)).astype("f")
    bias = a[0].copy()           # without one, a single thread may leave the product to NumPy
    try:
        put(2)
        for threads in (1, 2, 5):
            res = shared_by(threads, matmul.product, a, a.T, bias)
            np.testing.assert_allclose(res, a @ a.T + bias, 1e-4, 1e-4)
            assert get() == 2
    finally:
        put(before)


IN_TILES = {  # shapes: whole tiles, ragged edges, several parts of k, of rows and of columns
    "whole": (96, 256, 128), "ragged": (101, 77, 83), "rows left over": (39, 300, 64),
    "columns left over": (211, 530, 150), "flat": (333, 4, 67), "few rows": (25, 1100, 80),
    "one panel": (53, 300, 64), "parts": (530, 40, 1100), "three vectors left": (41, 70, 104),
    "most of a panel left": (37, 70, 119)}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", IN_TILES.values(), ids=IN_TILES)
@pytest.mark.parametrize("page", [1 << 30, 0], ids=["in place", "rows copied first"])
def test_products_in_tiles(shape, dtype, page, monkeypatch):
    """The same bits from any number of threads, as near the truth as the BLAS."""
    from retrograd.kernels.fast import matmul, panels
    monkeypatch.setattr(panels, "SEVERAL", 1)
    monkeypatch.setattr(panels, "MANY", 1 << 20)
    monkeypatch.setattr(panels, "WIDE", True)
    monkeypatch.setattr(fast, "TILES", 1)
    monkeypatch.setattr(fast, "PRODUCT", 1)
    monkeypatch.setattr(panels, "PAGE", page)
    n, k, m = shape
    item = np.dtype(dtype).itemsize
    assert panels.suits(n, k, m, item, item)
    normal = examples.normal
    left = [normal(dtype, n, k), normal(dtype, k, n).T, normal(dtype, n, k + 3)[:, :k]]
    right = [normal(dtype, k, m, seed=1), normal(dtype, m, k, seed=1).T]
    for a in left:
        for b in right:
            for bias in (None, normal(dtype, m, seed=2)):
                found = [shared_by(threads, matmul.product, a, b, bias) for threads in (1, 2, 5)]
                truth = a.astype("f8") @ b.astype("f8") + (0 if bias is None else bias)
                size = np.abs(a).astype("f8") @ np.abs(b) + (0 if bias is None else np.abs(bias))
                limit = size * np.sqrt(k) * np.finfo(dtype).eps
                assert np.all(np.abs(found[0] - truth) <= limit)
                assert found[0].tobytes() == found[1].tobytes() == found[2].tobytes()
            once = matmul.product(a, b)
            twice = matmul.product(np.stack([a, -a]), np.stack([b, b]))
            np.testing.assert_array_equal(twice, [once, -once])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("columns", [16, 20, 40, 55])
def test_narrow_products_of_much_in_tiles(columns, dtype, monkeypatch):
    """Of matrices whose rows are contiguous, and where these fill two vectors of others."""
    from retrograd.kernels.fast import matmul, panels
    monkeypatch.setattr(panels, "WIDE", True)
    monkeypatch.setattr(fast, "TILES", 1)
    a, b = examples.normal(dtype, 301, 260), examples.normal(dtype, 260, columns, seed=1)
    turned = np.asfortranarray(a)
    assert (shared_by(1, matmul.product, turned, b) is None) == (
        columns * a.itemsize < 2 * panels.BYTES)
    for left in (a, turned):
        one, two = (shared_by(threads, matmul.product, left, b) for threads in (1, 2))
        if one is not None:
            assert one.tobytes() == two.tobytes()
        np.testing.assert_allclose(two, a.astype("f8") @ b, 1e-3, 1e-4)
    assert shared_by(1, matmul.product, a, b) is not None


@pytest.mark.parametrize("shape, worth", [
    ((2000, 32, 32), True), ((4000, 16, 16), True), ((128, 32, 32), False),
    ((20000, 8, 8), True), ((64, 2048, 8), False)], ids=str)
def test_narrow_products_of_many_rows_are_worth_tiles(shape, worth, monkeypatch):
    """OpenBLAS took twice as long for layers of 16 to 48 units; half a vector only if short."""
    from retrograd.kernels.fast import panels
    monkeypatch.setattr(panels, "WIDE", True)
    monkeypatch.setattr(fast, "TILES", 1 << 20)
    n, k, m = shape
    assert panels.suits(n, k, m, m * 4, 4, a_step=4) == worth


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("outputs, inputs", [(70, 30), (30, 70)])
@pytest.mark.parametrize("images", [1, 3])
def test_kernels_of_one_element_in_tiles(images, outputs, inputs, dtype, monkeypatch):
    """Results, and gradients of images and weights, are products of planes."""
    from retrograd.kernels.fast import conv, conv_weight, panels
    monkeypatch.setattr(panels, "WIDE", True)
    monkeypatch.setattr(fast, "TILES", 1)
    normal, space = examples.normal, (13, 11)
    x, g = normal(dtype, images, inputs, *space), normal(dtype, images, outputs, *space, seed=1)
    w, b = normal(dtype, outputs, inputs, 1, 1, seed=2), normal(dtype, outputs, seed=3)
    weights = w[:, :, 0, 0].astype("f8")
    where = (1, 1), (0, 0), (1, 1), 1
    assert conv_weight.product_of_planes(g, x) is not None
    for found, truth in (
            (conv.correlate(x, w, g.shape, *where, b),
             np.einsum("oi,nihw->nohw", weights, x) + b[:, None, None]),
            (conv.correlate(x, w, g.shape, *where), np.einsum("oi,nihw->nohw", weights, x)),
            (conv.spread(g, w, x.shape, *where), np.einsum("oi,nohw->nihw", weights, g)),
            (conv_weight.correlate_weight(g, x, w.shape, *where),
             np.einsum("nohw,nihw->oi", g.astype("f8"), x)[:, :, None, None])):
        assert found.flags.c_contiguous
        np.testing.assert_allclose(found, truth, 1e-4, 1e-4)


@pytest.mark.parametrize("dims", [*permutations(range(3))])
def test_what_broadcasts_to_a_turned_tensor_keeps_its_order(dims):
    """PyTorch's, on either side and also of a few thousand numbers."""
    turned = torch.arange(6000.0).view(40, 50, 3).permute(dims)
    for shape in ((turned.shape[-1],), (turned.shape[0], 1, 1), (1, 1, 1)):
        other = torch.arange(float(prod(shape))).view(shape)
        for res, expected in ((turned - other, turned.contiguous() - other),
                              (other - turned, other - turned.contiguous())):
            assert res.stride() == turned.stride()
            assert torch.equal(res, expected)


@pytest.mark.parametrize("kind", [torch.uint8, torch.float32, torch.complex64])
@pytest.mark.parametrize("channels", [2, 3, 5, 64])
def test_channels_are_moved_innermost_and_back(kind, channels):
    x = torch.arange(2 * channels * 8000).remainder(251).to(kind).view(2, channels, 80, 100)
    for last in (x.contiguous(memory_format=torch.channels_last),
                 x.to(memory_format=torch.channels_last),
                 x.clone(memory_format=torch.channels_last)):
        assert last.stride() == (8000 * channels, 1, 100 * channels, channels)
        assert torch.equal(last, x) and torch.equal(last.contiguous(), x)
    rows = x.permute(0, 2, 3, 1).contiguous()
    assert rows.is_contiguous() and torch.equal(rows.permute(0, 3, 1, 2), x)


def test_products_of_one_panel_leave_no_thread_idle():
    from retrograd.kernels.fast import panels
    for shape, parts in (((1, 64, 2048, 64), 2), ((1, 40, 2048, 64), 1), ((2, 64, 2048, 64), 2),
                         ((1, 64, 2048, 128), 2), ((1, 64, 2048, 64 * 17), 4)):
        assert panels.plan(*shape, 16, 2, panels.DEPTH, False)[1].size == parts, shape


@pytest.mark.parametrize("kind", ["u1", "f2", "f4", "f8", "c16", "?"])
def test_parts_of_any_width_are_joined(kind):
    parts = [np.arange(90 * n).reshape(90, n).astype(kind) for n in (4, 1, 7, 0, 2)]
    assert_same(fast.twin("joined")(parts, 1), np.concatenate(parts, 1), 0)
    assert fast.twin("joined")(parts, 0) is None
    assert fast.twin("joined")([parts[0], parts[1][:, 0]], 1) is None
    assert fast.twin("joined")([parts[0], parts[1].real.astype("i8")], 1) is None


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "complex128"])
def test_parts_that_lie_apart_are_joined(dtype):
    x = examples.normal("float64", 2, 4, 600, 32).astype(dtype)
    turned = x.reshape(2, 600, 4, 32).swapaxes(1, 2)
    for whole in (x, turned):
        for parts in ((whole[..., 16:].copy(), whole[..., :16]), (whole[..., :5], whole[..., 3:]),
                      (whole[:, :1], whole), (whole[..., :0], whole[..., 1:])):
            dim = 1 if parts[1] is whole else -1
            found = fast.twin("joined")(parts, dim)
            assert (found is None) == (dim == 1)            # of 8 rows only
            assert found is None or (found == np.concatenate(parts, dim)).all()
    expanded = np.broadcast_to(x[:, :, :1, :8], (2, 4, 600, 8))
    found = fast.twin("joined")([expanded, x], 3)
    np.testing.assert_array_equal(found, np.concatenate([expanded, x], 3))


@pytest.mark.parametrize("larger", [torch.maximum, torch.minimum])
def test_gradients_of_corners_that_broadcast(larger):
    """The larger of narrow rows, ties and nan included, is that of arrays written out."""
    a, b = (torch.randint(0, 4, shape).float() for shape in ((300, 1, 2), (1, 50, 2)))
    a[3, 0, 1] = torch.nan
    wide = [x.expand(300, 50, 2).clone().requires_grad_() for x in (a, b)]
    few = [x.clone().requires_grad_() for x in (a, b)]
    g = torch.randint(0, 9, (300, 50, 2)).float()
    larger(*wide).backward(g)
    larger(*few).backward(g)
    assert torch.equal(few[0].grad, wide[0].grad.sum(1, keepdim=True))
    assert torch.equal(few[1].grad, wide[1].grad.sum(0, keepdim=True))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16])
def test_gradients_of_parts_are_added_where_they_belong(dtype):
    x = torch.ones(9, 500, 5, dtype=dtype, requires_grad=True)
    parts = [(..., slice(2)), (slice(1, 8), slice(None), slice(1, 4)), (..., 4), (..., slice(3, 4))]
    gradients = [torch.randint(0, 9, x[part].shape).to(dtype) for part in parts]
    torch.autograd.backward([x[part] for part in parts], gradients)
    expected = torch.zeros_like(x)
    for part, g in zip(parts, gradients, strict=True):
        expected.detach()[part] += g
    assert torch.equal(x.grad, expected)


@pytest.mark.parametrize("width", [1, 3, 16, 17])
def test_ufuncs_of_many_short_rows_that_lie_apart(width):
    x = examples.normal("float32", 2, 4, 600, 40)
    a, b, kept = x[..., :width], x[..., 20:20 + width], x.copy()
    for name, args in (("neg", (a,)), ("trunc", (a,)), ("logical_not", (a,)), ("atan2", (a, b))):
        assert_same(getattr(torch, name)(*map(torch.from_numpy, args)).numpy(),
                    getattr(torch, name)(*map(torch.tensor, args)).numpy(), 0)
        res = fast.twin(name)(*args) if name in fast.TWINS else None
        assert res is None or not np.shares_memory(res, x)
    np.testing.assert_array_equal(x, kept)


@pytest.mark.parametrize("shapes", [(2, 2, 2), (3, 3, 3), (4, 4, 4), (3, 3, 1), (1, 4, 2)])
def test_tiny_products_of_matrices_that_lie_anyhow(shapes):
    n, k, m = shapes
    for turn_a, turn_b in ((False, False), (False, True), (True, False), (True, True)):
        a, b = (examples.normal("float32", 40, *reversed(s) if turn else s, seed=len(s)).swapaxes(
            1, 2 if turn else 1) for s, turn in (((n, k), turn_a), ((k, m), turn_b)))
        assert_same(fast.twin("tiny_products")(a, b), np.matmul(a, b), 1e-5)
    assert fast.twin("tiny_products")(a.astype("f8"), b) is None
    assert fast.twin("tiny_products")(np.ones((40, 5, 3), "f4"), np.ones((40, 3, 2), "f4")) is None


def test_products_of_one_row_or_column(monkeypatch):
    """NumPy's call does not copy the matrix first; a column times a row is a multiplication."""
    from retrograd.kernels.fast import matmul
    shapes = (1, 600), (500, 600), (500,)
    row, weight, bias = (examples.normal("float32", *shape) for shape in shapes)
    truth = row.astype("f8") @ weight.T + bias
    monkeypatch.setattr(matmul, "in_parts", None)
    for threads in (1, 2):
        res = shared_by(threads, matmul.product, row, weight.T, bias)
        np.testing.assert_allclose(res, truth, 1e-4, 1e-4)
        res = shared_by(threads, matmul.product, weight, row.T, bias[:1])
        np.testing.assert_allclose(res, (truth - bias).T + bias[:1], 1e-4, 1e-4)
        res = shared_by(threads, kernels.matmul.addmm, bias, row, weight.T, 1, 1)
        np.testing.assert_allclose(res, truth, 1e-4, 1e-4)
        res = shared_by(threads, kernels.matmul.mm, weight[:, :1], row)
        np.testing.assert_array_equal(res, weight[:, :1] * row)


def test_products_in_tiles_keep_nan_and_infinity_where_they_belong(monkeypatch):
    """What fills up a panel is 0, and 0 times infinity is nan."""
    from retrograd.kernels.fast import matmul, panels
    monkeypatch.setattr(panels, "WIDE", True)
    monkeypatch.setattr(fast, "TILES", 1)
    monkeypatch.setattr(fast, "PRODUCT", 1)
    a, b = examples.normal("float32", 37, 50), examples.normal("float32", 50, 69, seed=1)
    a[36, 49], b[0, 68] = np.inf, np.nan
    for x, y in ((a, b), (np.asfortranarray(a), np.asfortranarray(b))):
        found, truth = matmul.product(x, y), a @ b
        np.testing.assert_array_equal(np.isnan(found), np.isnan(truth))
        np.testing.assert_array_equal(np.isinf(found), np.isinf(truth))


def test_few_rows_that_no_way_round_the_blas_suits_are_left_to_it():
    matmul = pytest.importorskip("retrograd.kernels.fast.matmul")
    for n, k, m, left in ((64, 64, 62, True), (4, 64, 2048, False), (16, 300, 64, False)):
        a, b = examples.normal("float32", n, k), examples.normal("float32", m, k).T
        found = shared_by(1, matmul.product, a, b)
        assert (found is None) == left
        assert left or np.allclose(found, a @ b, 1e-4, 1e-3)


def test_stacks_of_turned_matrices_are_not_left_to_the_blas():
    """Which copies each; on one thread, too. Of plain ones it copies nothing."""
    matmul = pytest.importorskip("retrograd.kernels.fast.matmul")
    a, b = (examples.normal("float32", 6, 48, 32, seed=seed) for seed in (0, 1))
    found = shared_by(1, matmul.product, a, b.swapaxes(1, 2))
    np.testing.assert_allclose(found, a @ b.swapaxes(1, 2), 1e-4, 1e-4)
    assert shared_by(1, matmul.product, a, np.ascontiguousarray(b.swapaxes(1, 2))) is None


def test_a_product_of_few_numbers_is_the_blas_s_in_one_part():
    matmul = pytest.importorskip("retrograd.kernels.fast.matmul")
    a, b, bias = (examples.normal("float32", *shape) for shape in ((64, 66), (66, 80), (80,)))
    plain = _blas.alone(a.dot, b)
    for threads in (1, 2):
        found = shared_by(threads, matmul.product, a, b, bias)
        np.testing.assert_array_equal(found, plain + bias)
    np.testing.assert_array_equal(shared_by(2, matmul.product, a, b), plain)


def shared_by(threads, function, *args):
    before, fast.threads = fast.threads, threads
    try:
        return function(*args)
    finally:
        fast.threads = before


def test_a_kernel_that_declines_leaves_no_error_behind():
    @kernel
    def double(x, times: Number, y):
        for i in range(len(x)):
            y[i] = times * x[i]

    x, y = np.ones(3, np.float32), np.zeros(3, np.float32)
    double(x, 2.0, y, chunk=3)
    with pytest.raises(TypeError, match="must be real number, not str"):
        double.entries[0](1, 3, x, "two", y[None])     # neither a number nor a vector


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("top", [-0.0, -1e-40, 0.0])
def test_rows_without_a_positive_number(top, dtype):
    """The largest number of a row may be -0.0, or lie between it and the smallest normal one."""
    x = -torch.rand(64, 40, dtype=dtype) - 1
    x[:, 7] = top
    assert x.amax(1).tolist() == [x[0, 7].item()] * 64
    assert (x.max(1)[1] == 7).all() and ((-x).min(1)[1] == 7).all()
    for y in (x.softmax(1), x.log_softmax(1).exp()):
        np.testing.assert_allclose(y.sum(1), np.ones(64), rtol=1e-5)


@pytest.mark.parametrize("shape", [(2, 40, 70, 40, 30), (3, 32, 64, 1100), (1, 16, 128, 5, 20, 20)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_kernel_of_one_element_multiplies_planes(shape, dtype):
    n, inputs, outputs, *space = shape
    torch.manual_seed(0)
    x = torch.randn(n, inputs, *space, dtype=dtype, requires_grad=True)
    w = torch.randn(outputs, inputs, *[1] * len(space), dtype=dtype) / 8
    b, g = torch.randn(outputs, dtype=dtype), torch.randn(n, outputs, *space, dtype=dtype)
    y = getattr(torch.nn.functional, f"conv{len(space)}d")(x, w, b)
    y.backward(g)
    matrix, planes = w.numpy().reshape(outputs, inputs), x.detach().numpy().reshape(n, inputs, -1)
    tolerance = {"rtol": 0, "atol": 2e-5 if dtype == torch.float32 else 1e-13}
    np.testing.assert_allclose(y.detach().numpy().reshape(n, outputs, -1),
                               matrix @ planes + b.numpy()[:, None], **tolerance)
    np.testing.assert_allclose(x.grad.numpy().reshape(n, inputs, -1),
                               matrix.T @ g.numpy().reshape(n, outputs, -1), **tolerance)
    assert y.is_contiguous() and x.grad.is_contiguous()


@pytest.mark.parametrize("name", ["add_", "sub_", "mul_", "div_", "hypot_", "atan2_", "copysign_",
                                  "lt_", "masked_fill_"])
@pytest.mark.parametrize("shape, other", [((40_000, 3), (40_000, 2)), ((3, 40_000), (2, 40_000)),
                                          ((300_000,), (200_000,))])
def test_large_writes_in_place_of_what_does_not_fit_are_refused(name, shape, other):
    x, y = torch.ones(shape), torch.ones(other)
    operands = (y > 0, 0.0) if name == "masked_fill_" else (y,)
    with pytest.raises(RuntimeError, match="must match the size of tensor b"):
        getattr(x, name)(*operands)
    assert (x == 1).all()


BACKWARD = {                 # of tokens (N,), a table (V, D) and scores (T, B, C)
    "embedding": lambda F, tokens, table, scores: F.embedding(tokens, table),
    "embedding_bag": lambda F, tokens, table, scores: F.embedding_bag(
        tokens, table, torch.arange(0, len(tokens), 10)),
    "ctc_loss": lambda F, tokens, table, scores: F.ctc_loss(
        scores.log_softmax(2), tokens[:128].view(64, 2), torch.full((64,), 50),
        torch.full((64,), 2)),
}


@pytest.mark.parametrize("wrong", [10**12, -10**12])
@pytest.mark.parametrize("name", BACKWARD)
def test_indices_that_numpy_has_changed_since(name, wrong):
    """Nobody counts such a write, and compiled kernels would write beyond the memory."""
    tokens = torch.randint(1, 100, (20000,))
    table = torch.randn(100, 64, requires_grad=True)
    scores = torch.randn(50, 64, 100, requires_grad=True)
    result = BACKWARD[name](torch.nn.functional, tokens, table, scores)
    tokens.numpy()[77] = wrong
    with pytest.raises(IndexError, match=r"index out of range|out of bounds"):
        result.sum().backward()
