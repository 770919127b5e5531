"""Kernels of neural networks: against plain loops, and against what PyTorch recorded."""

import itertools
import math
from pathlib import Path

import numpy as np
import pytest

import nn_kernel_cases as cases
from retrograd import kernels
from retrograd.kernels import activation, attention, conv, embedding, gelu, loss, norm, pool
from retrograd.kernels.axismap import AxisMap, apply_maps

RECORDED = np.load(Path(__file__).parent / "data" / "nn_kernels.npz")


@pytest.fixture(scope="module")
def torch():
    import retrograd

    return retrograd


@pytest.mark.parametrize("number", range(len(cases.CASES)), ids=cases.CASES.__getitem__)
@pytest.mark.filterwarnings("ignore:reduction")
def test_recorded(number, torch):
    value, grads = cases.evaluate(cases.CASES[number], torch)
    np.testing.assert_allclose(value, RECORDED[str(number)], rtol=1e-9, atol=1e-11)
    names = {k.split(".")[1] for k in RECORDED.files if k.startswith(f"{number}.")}
    assert set(grads) == names
    for name, grad in grads.items():
        expected = RECORDED[f"{number}.{name}"]
        np.testing.assert_allclose(grad, expected, rtol=1e-8, atol=1e-10, err_msg=name)


# ------------------------------------------------------------------------------- plain loops

def normal(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


def plain_convolution(x, w, stride, padding, dilation, groups):
    """The definition of a convolution, an element at a time."""
    y = np.zeros(conv.output_shape(x.shape, w.shape, stride, padding, dilation))
    share, outputs = w.shape[1], w.shape[0] // groups
    for n, o, *at in np.ndindex(*y.shape):
        for c, *k in np.ndindex(*w.shape[1:]):
            place = [a * s + i * d - p
                     for a, s, i, d, p in zip(at, stride, k, dilation, padding, strict=True)]
            if all(0 <= i < m for i, m in zip(place, x.shape[2:], strict=True)):
                channel = o // outputs * share + c
                y[(n, o, *at)] += w[(o, c, *k)] * x[(n, channel, *place)]
    return y


GEOMETRIES = [
    ((7,), (3,), (2,), (1,), (1,), 1), ((7,), (3,), (1,), (2,), (2,), 2),
    ((8,), (3,), (3,), (1,), (2,), 2), ((5, 6), (3, 2), (1, 3), (2, 1), (2, 1), 1),
    ((5, 6), (3, 2), (1, 1), (1, 0), (1, 1), 1), ((6, 5), (2, 3), (2, 3), (1, 2), (2, 1), 2),
    ((5, 5), (1, 1), (1, 1), (0, 0), (1, 1), 1), ((5, 5), (1, 1), (2, 2), (0, 0), (1, 1), 1),
    ((4, 3, 5), (2, 2, 3), (2, 1, 2), (1, 0, 1), (1, 1, 2), 1),
    ((5, 19), (4, 8), (3, 8), (0, 0), (1, 1), 1), ((4, 3), (4, 2), (1, 2), (0, 0), (1, 1), 1),
]


@pytest.mark.parametrize("block", [1, 40, 1 << 19])
@pytest.mark.parametrize(("space", "kernel", "stride", "padding", "dilation", "groups"), GEOMETRIES)
def test_convolution(space, kernel, stride, padding, dilation, groups, block, monkeypatch):
    monkeypatch.setattr(conv, "BLOCK", block)
    x = normal(2, 2 * groups, *space)
    w = normal(3 * groups, 2, *kernel, seed=1)
    where = (stride, padding, dilation, groups)
    y = plain_convolution(x, w, *where)
    np.testing.assert_allclose(conv.correlate(x, w, y.shape, *where), y, atol=1e-12)
    g = normal(*y.shape, seed=2)
    # <g, correlate(x, w)> is linear in each of g, x and w: that is what the transposes must give
    total = (g * y).sum()
    spread = conv.spread(g, w, x.shape, *where)
    weight = conv.correlate_weight(g, x, w.shape, *where)
    assert spread.shape == x.shape and weight.shape == w.shape
    np.testing.assert_allclose((spread * x).sum(), total)
    np.testing.assert_allclose((weight * w).sum(), total)
    if block == 40:
        np.testing.assert_allclose(weight, weight_by_units(g, x, w, where), atol=1e-10)


def test_convolution_of_each_channel_by_itself():
    x, w, where = normal(2, 3, 5, 6), normal(3, 1, 3, 2, seed=1), ((2, 1), (1, 0), (1, 2), 3)
    y = plain_convolution(x, w, *where)
    g = normal(*y.shape, seed=2)
    np.testing.assert_allclose(conv.correlate(x, w, y.shape, *where), y, atol=1e-12)
    weight = conv.correlate_weight(g, x, w.shape, *where)
    np.testing.assert_allclose(weight, weight_by_units(g, x, w, where), atol=1e-10)
    spread = conv.spread(g, w, x.shape, *where)
    np.testing.assert_allclose((spread * x).sum(), (g * y).sum())


def weight_by_units(g, x, w, where):
    """The gradient of sum(g * y) with respect to w: y is linear in w, so one unit at a time."""
    out = np.empty(w.shape)
    for at in np.ndindex(*w.shape):
        unit = np.zeros(w.shape)
        unit[at] = 1
        out[at] = (g * plain_convolution(x, unit, *where)).sum()
    return out


def test_convolution_keeps_infinities_where_they_belong():
    """An infinite element reaches the results and the weights that meet it, and no others."""
    x, w = normal(1, 1, 4, 4), normal(1, 1, 2, 2, seed=1)
    where = ((1, 1), (0, 0), (1, 1), 1)
    x[0, 0, 0, 3] = np.inf
    y = conv.correlate(x, w, (1, 1, 3, 3), *where)
    assert np.argwhere(~np.isfinite(y[0, 0])).tolist() == [[0, 2]]
    weight = conv.correlate_weight(np.ones((1, 1, 3, 3)), x, w.shape, *where)
    assert np.argwhere(~np.isfinite(weight[0, 0])).tolist() == [[0, 1]]
    w[0, 0, 0, 0] = np.nan
    spread = conv.spread(np.ones((1, 1, 3, 3)), w, x.shape, *where)
    assert np.isfinite(spread[0, 0, 3]).all() and np.isfinite(spread[0, 0, :, 3]).all()


@pytest.mark.parametrize("ceil_mode", [False, True])
@pytest.mark.parametrize(("kernel", "stride", "padding", "dilation"), [
    ((2, 2), (2, 2), (0, 0), (1, 1)), ((3, 2), (2, 1), (1, 1), (1, 2)),
    ((3, 3), (4, 3), (1, 0), (1, 1)),
])
def test_max_pool(kernel, stride, padding, dilation, ceil_mode):
    x = normal(2, 3, 7, 6).round(1)  # with ties
    x[0, 1] = -np.inf
    x[1, 2, 3, 3] = np.nan
    best, indices = pool.max_pool_2d(x, kernel, stride, padding, dilation, ceil_mode)
    for n, c, i, j in np.ndindex(*best.shape):
        value, place = -np.inf, None
        for a, b in np.ndindex(*kernel):
            u = i * stride[0] + a * dilation[0] - padding[0]
            v = j * stride[1] + b * dilation[1] - padding[1]
            if 0 <= u < 7 and 0 <= v < 6:
                here = x[n, c, u, v]
                if place is None or here > value or np.isnan(here):
                    value, place = here, u * 6 + v
        np.testing.assert_equal(best[n, c, i, j], value)
        assert indices[n, c, i, j] == place
    g = normal(*best.shape, seed=1)
    total = pool.max_pool_backward(g, indices, x, False)
    np.testing.assert_allclose(total.sum(), g.sum())
    if stride >= kernel and dilation == (1, 1):
        np.testing.assert_array_equal(pool.max_pool_backward(g, indices, x, True), total)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("with_nan", [False, True])
@pytest.mark.parametrize("space, out", [((40, 33), (2, 3)), ((9, 8, 7), (1, 2, 2))])
def test_few_large_adaptive_parts(space, out, with_nan, dtype):
    """Each of them in one call: the first of equal maxima, the last nan, as window by window."""
    x = np.random.default_rng(0).integers(0, 30, (2, 3, *space)).astype(dtype)
    if with_nan:
        x[0, 1, ..., ::5] = np.nan
    parts = [pool.adaptive_parts(n, m) for n, m in zip(space, out, strict=True)]
    lengths = [stop - start for start, stop in parts]
    expected = pool._max_at(x, [start for start, _ in parts], lengths, [max(n) for n in lengths])
    for found, right in zip(pool.by_part(x, parts, out), expected, strict=True):
        np.testing.assert_array_equal(found, right)


def test_adaptive_maxima_of_large_images():
    x = normal(1, 1, 1000, 600).astype("f4")
    best, indices = pool.adaptive_max_pool_2d(x, (2, 2))
    assert best[0, 0, 1, 0] == x[0, 0, 500:, :300].max() == x.reshape(-1)[indices[0, 0, 1, 0]]


@pytest.mark.parametrize("include", [False, True])
@pytest.mark.parametrize("ceil_mode", [False, True])
def test_avg_pool(ceil_mode, include):
    x, kernel, stride, padding = normal(1, 2, 7, 6), (3, 2), (2, 3), (1, 1)
    y = pool.avg_pool_2d(x, kernel, stride, padding, ceil_mode, include, None)
    for c, i, j in np.ndindex(*y.shape[1:]):
        values, count = [], 0
        for a, b in np.ndindex(*kernel):
            u, v = i * 2 + a - 1, j * 3 + b - 1
            if 0 <= u < 7 and 0 <= v < 6:
                values.append(x[0, c, u, v])
                count += 1
            elif include and u < 8 and v < 7:
                count += 1
        np.testing.assert_allclose(y[0, c, i, j], sum(values) / count)
    g = normal(*y.shape, seed=1)
    back = pool.avg_pool_backward(g, x, kernel, stride, padding, ceil_mode, include, None)
    np.testing.assert_allclose((back * x).sum(), (g * y).sum())


def test_axis_map_is_its_matrix():
    rows, cols = np.array([0, 0, 1, 3, 3, 3]), np.array([1, 4, 1, 0, 1, 4])
    weights = normal(6)
    matrix = np.zeros((4, 5))
    np.add.at(matrix, (rows, cols), weights)
    m = AxisMap(4, 5, rows, cols, weights)
    x, g = normal(2, 5, 3), normal(2, 4, 3, seed=1)
    np.testing.assert_allclose(m.apply(x, 1), np.einsum("rc,acb->arb", matrix, x))
    np.testing.assert_allclose(m.apply_transposed(g, 1), np.einsum("rc,arb->acb", matrix, g))
    np.testing.assert_allclose(apply_maps(x, [m, None]), m.apply(x, 1))


def test_columns_and_back():
    x = normal(2, 3, 5, 6)
    arguments = ((2, 3), (1, 2), (1, 0), (2, 1))
    cols = pool.im2col_batched(x, *arguments)
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (0, 0)))
    positions = list(itertools.product(range(0, 6, 2), range(2)))
    for at, (i, j) in enumerate(positions):
        window = padded[:, :, i:i + 2, j:j + 5:2]
        np.testing.assert_array_equal(cols[:, :, at], window.reshape(2, -1))
    g = normal(*cols.shape, seed=1)
    back = pool.col2im_batched(g, (5, 6), *arguments)
    np.testing.assert_allclose((back * x).sum(), (g * cols).sum())


def test_embedding_gradient():
    indices = np.array([[3, 0, 3], [1, 3, 4]])
    g = normal(2, 3, 2)
    expected = np.zeros((6, 2))
    for at in np.ndindex(2, 3):
        expected[indices[at]] += g[at]
    np.testing.assert_allclose(embedding.embedding_dense_backward(g, indices, 6), expected)
    without = embedding.embedding_dense_backward(g, indices, 6, padding_idx=3)
    np.testing.assert_array_equal(without[3], 0)
    np.testing.assert_allclose(np.delete(without, 3, 0), np.delete(expected, 3, 0))
    shared = embedding.embedding_dense_backward(g, indices, 6, scale_grad_by_freq=True)
    np.testing.assert_allclose(shared[3], expected[3] / 3)
    assert embedding.embedding_dense_backward(g[:0], indices[:0], 6).tolist() == [[0, 0]] * 6


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_a_batch_norm_of_one_image_is_as_with_running_statistics(dtype):
    """It may be computed as a group norm of its channels where there are none."""
    rng = np.random.default_rng(0)
    x, g = (rng.standard_normal((1, 5, 4, 3)).astype(dtype) for _ in range(2))
    w, b, mean = (rng.random(5).astype(dtype) for _ in range(3))
    running, eps = (mean, mean + 1), 1e-5
    found = norm.native_batch_norm_of(x, w, b, None, None, True, 0.1, eps)
    expected = norm.native_batch_norm_of(x, w, b, *running, True, 0.1, eps)
    tolerance = 1e-2 if dtype == "float16" else 1e-5
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs, tolerance, tolerance)
    rest = found[1], found[2], True, eps, (True, True, True)
    for ours, theirs in zip(norm.native_batch_norm_backward(g, x, w, None, None, *rest),
                            norm.native_batch_norm_backward(g, x, w, *running, *rest), strict=True):
        assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs, tolerance, tolerance)


def test_embedding_renorm_scales_only_long_rows():
    weight = np.array([[3.0, 4.0], [0.3, 0.4], [6.0, 8.0]])
    embedding.embedding_renorm(weight, np.array([0, 1, 0]), 1.0, 2.0)
    np.testing.assert_allclose(weight, [[0.6, 0.8], [0.3, 0.4], [6.0, 8.0]], rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
def test_layer_norm(dtype):
    x = (normal(3, 5) * 4 + 2).astype(dtype)
    y, mean, rstd = norm.native_layer_norm_of(x, None, None, (5,), 1e-5)
    assert y.dtype == dtype and mean.shape == rstd.shape == (3, 1)
    wide = x.astype(np.float64)
    expected = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(y, expected, rtol=1e-2 if dtype == np.float16 else 1e-5, atol=1e-3)


def test_batch_norm_moves_running_statistics():
    x = normal(4, 3, 5)
    mean, var = np.zeros(3), np.ones(3)
    norm.native_batch_norm_of(x, None, None, mean, var, True, 0.1, 1e-5)
    np.testing.assert_allclose(mean, 0.1 * x.mean((0, 2)))
    np.testing.assert_allclose(var, 0.9 + 0.1 * x.var((0, 2), ddof=1))
    before = mean.copy()
    norm.native_batch_norm_of(x, None, None, mean, var, False, 0.1, 1e-5)
    np.testing.assert_array_equal(mean, before)


@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize("affine", [False, True])
def test_batch_norm_of_a_table_is_that_of_images_of_one_pixel(kind, affine):
    x, tolerance = (3 + normal(5, 4)).astype(kind), 1e-5 if kind == "float32" else 1e-13
    weight, bias = (normal(2, 4) + 1).astype(kind) if affine else (None, None)
    results = []
    for shape in ((5, 4), (5, 4, 1), (5, 4, 1, 1)):
        running = np.zeros(4, kind), np.ones(4, kind)
        y, *saved = norm.native_batch_norm_of(x.reshape(shape), weight, bias, *running, True, 0.1,
                                              1e-5)
        assert y.shape == shape
        results.append([y.reshape(5, 4), *saved, *running])
    for other in results[1:]:
        for a, b in zip(results[0], other, strict=True):
            assert a.dtype == b.dtype == kind
            np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)
    turned = norm.native_batch_norm_of(np.asfortranarray(x), weight, bias, None, None, True, 0.1,
                                       1e-5)[0]
    np.testing.assert_allclose(turned, results[0][0], rtol=tolerance, atol=tolerance)
    assert turned.flags.c_contiguous


@pytest.mark.parametrize("shape", [(7, 4), (3, 4, 5), (2, 4, 3, 3)])
@pytest.mark.parametrize("training", [True, False])
def test_batch_norm_of_few_numbers_is_that_of_many(shape, training, monkeypatch):
    x, weight = normal(*shape), normal(4)
    g, bias = np.cos(3 * x), np.sin(weight)
    results = []
    for short in (norm.SHORT, 0):
        monkeypatch.setattr(norm, "SHORT", short)
        mean, var = np.linspace(-1, 1, 4), np.linspace(1, 2, 4)
        y, *saved = norm.native_batch_norm_of(x, weight, bias, mean, var, training, 0.1, 1e-5)
        slopes = norm.native_batch_norm_backward(g, x, weight, mean, var, *saved, training, 1e-5,
                                                 (True, True, True))
        results.append([y, *saved, *slopes, mean, var])
        assert norm.native_batch_norm_backward(g, x, None, mean, var, *saved, training, 1e-5,
                                               (False, False, False)) == (None, None, None)
    for few, many in zip(*results, strict=True):
        np.testing.assert_allclose(few, many, rtol=1e-12, atol=1e-12)


def test_softmax_of_what_overflows():
    x = np.array([[1000.0, 1000.0, -1000.0], [-np.inf, 0.0, -np.inf]])
    np.testing.assert_allclose(activation.softmax_dim(x, 1), [[0.5, 0.5, 0], [0, 1, 0]])
    np.testing.assert_allclose(activation.log_softmax_dim(x, 1)[0, :2], -math.log(2))
    nothing = np.full((1, 2), -np.inf)
    np.testing.assert_array_equal(activation.safe_softmax_dim(nothing, 1), [[0, 0]])


@pytest.mark.parametrize("shape", [(7,), (1, 7), (4, 6), (2, 3, 5)])
@pytest.mark.parametrize("turned", [False, True])
def test_softmax_of_few_numbers(shape, turned):
    """Also of what lies turned in memory; a row with a nan is nan, and no other."""
    x = normal(*shape).T if turned else normal(*shape)
    last, y = x.ndim - 1, np.exp(x)
    for dim in range(x.ndim):
        expected = y / y.sum(dim, keepdims=True)
        np.testing.assert_allclose(activation.softmax_dim(x, dim), expected)
        np.testing.assert_allclose(activation.log_softmax_dim(x, dim), np.log(expected))
        slope = activation.softmax_backward(y, expected, dim)
        dots = (y * expected).sum(dim, keepdims=True)
        np.testing.assert_allclose(slope, expected * (y - dots), atol=1e-14)
        slope = activation.log_softmax_backward(y, np.log(expected), dim)
        np.testing.assert_allclose(slope, y - expected * y.sum(dim, keepdims=True), atol=1e-14)
    x[..., -1].flat[0] = np.nan
    for kernel in activation.softmax_dim, activation.log_softmax_dim:
        unknown = np.isnan(kernel(x, last)).reshape(-1, x.shape[-1])
        assert unknown[0].all() and not unknown[1:].any()


def test_the_loss_of_what_is_certain_is_no_negative_zero():
    for reduction in (1, 2):
        loss, _ = kernels.nll_loss_forward(np.zeros((2, 3)), np.array([0, 2]), None, reduction,
                                           -100)
        assert loss == 0 and not np.signbit(loss)


def test_activations_of_what_overflows():
    far = np.array([-1e4, 1e4])
    np.testing.assert_allclose(activation.softplus(far), [0, 1e4])
    np.testing.assert_allclose(activation.log_sigmoid(far), [-1e4, 0])
    np.testing.assert_allclose(activation.silu(far), [0, 1e4])
    np.testing.assert_allclose(activation.mish(far), [0, 1e4])
    np.testing.assert_allclose(activation.elu(far), [-1, 1e4])
    np.testing.assert_allclose(gelu.gelu_by(far), [0, 1e4])


@pytest.mark.parametrize("kernel", ["gelu_by", "silu", "elu", "hardswish", "mish"])
def test_half_precision_is_rounded_once(kernel):
    x = normal(50).astype(np.float16)
    fn = getattr(kernels, kernel)
    got = fn(x)
    assert got.dtype == np.float16
    np.testing.assert_array_equal(got, fn(x.astype(np.float32)).astype(np.float16))


def test_integers_are_refused():
    with pytest.raises(NotImplementedError, match="\"silu_cpu\" not implemented for 'Long'"):
        activation.silu(np.arange(3, dtype=np.int64))


def test_cross_entropy_ignores():
    x, target = normal(4, 3), np.array([0, 9, 2, 9])
    value, total = loss.nll_loss_forward(x, target, None, 1, 9)
    np.testing.assert_allclose(value, -(x[0, 0] + x[2, 2]) / 2)
    assert total == 2
    everything = loss.nll_loss_forward(x, np.full(4, 9), None, 1, 9)[0]
    assert np.isnan(everything)


def test_attention_of_a_masked_row_is_zero():
    q, k, v = normal(1, 1, 2, 4), normal(1, 1, 3, 4, seed=1), normal(1, 1, 3, 4, seed=2)
    mask = np.array([[True, False, True], [False, False, False]])
    out, _ = attention.flash_attention(q, k, v, mask, False, 0.5)
    scores = np.exp(q[0, 0, 0] @ k[0, 0, [0, 2]].T * 0.5)
    np.testing.assert_allclose(out[0, 0, 0], scores @ v[0, 0, [0, 2]] / scores.sum())
    np.testing.assert_array_equal(out[0, 0, 1], 0)


def test_gelu_in_float32():
    """Within two roundings of x times a number below 1, far out too; slopes likewise."""
    x = np.concatenate([np.linspace(-14, 14, 4001), [-np.inf, np.inf, 0.0, 1e-20, -1e30, 1e30]])
    x = x.astype(np.float32)
    wide = x.astype(np.float64)
    tail = np.array([math.erfc(abs(v) * math.sqrt(0.5)) / 2 for v in wide])
    with np.errstate(invalid="ignore"):
        exact = np.where(wide == -np.inf, 0, np.where(wide > 0, wide * (1 - tail), wide * tail))
    exact = np.where(wide == np.inf, np.inf, exact)
    finite = np.isfinite(wide)
    got = gelu.gelu_by(x)
    assert np.all(np.abs(got - exact)[finite] <= 1.5e-7 * np.abs(wide[finite]))
    np.testing.assert_array_equal(got[~finite], exact[~finite])
    density = np.exp(-0.5 * wide[finite] ** 2) / math.sqrt(2 * math.pi)
    slope = np.where(wide > 0, 1 - tail, tail)[finite] + wide[finite] * density
    got = gelu.gelu_backward(np.ones_like(x), x)
    np.testing.assert_allclose(got[finite], slope, rtol=0, atol=3e-7)
    np.testing.assert_array_equal(got[~finite], [0, 1])
    assert np.isnan(gelu.gelu_by(np.array([np.nan], np.float32)))


def test_long_rows_keep_their_digits():
    """Sums of squares over long rows go piece by piece; the pieces need not divide the row."""
    x = np.random.default_rng(0).random((2, 1_000_001), np.float32)
    y, _, _ = norm.native_layer_norm_of(x, None, None, x.shape[1:], 1e-5)
    wide = x.astype(np.float64)
    expected = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(y, expected, rtol=0, atol=2e-6)


@pytest.mark.parametrize("shape", [(10,), (3, 7), (6, 100), (300, 700), (2, 5000)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_equal_numbers_are_normalized_to_zero(shape, dtype, torch):
    """Their mean, rounded, is another number, and the difference times 1 / sqrt(eps) is visible."""
    x = np.full(shape, 123.456, dtype)
    y, mean, _ = norm.native_layer_norm_of(x, None, None, shape[-1:], 1e-5)
    assert not y.any() and (mean == x.flat[0]).all()
    assert not torch.nn.functional.layer_norm(torch.tensor(x), shape[-1:]).any()
    groups = torch.tensor(x).reshape(-1, 1, shape[-1]).expand(-1, 2, -1)
    assert not torch.nn.functional.group_norm(groups, 1).any()


@pytest.mark.parametrize("shape", [(0,), (2, 0), (0, 3), (3, 4, 0)])
def test_rows_without_numbers_are_normalized(shape, torch):
    x = torch.ones(shape, requires_grad=True)
    y = torch.nn.functional.layer_norm(x, shape[-1:])
    y.sum().backward()
    assert y.shape == x.grad.shape == x.shape


def test_half_running_statistics_move():
    x = normal(8, 2, 3).astype(np.float16)
    mean, var = np.zeros(2, np.float16), np.ones(2, np.float16)
    norm.native_batch_norm_of(x, None, None, mean, var, True, 0.5, 1e-5)
    np.testing.assert_allclose(mean, 0.5 * x.astype(np.float64).mean((0, 2)), atol=1e-3)


def test_pools_of_no_images(torch):
    x = torch.zeros(0, 2, 4, 4, requires_grad=True)
    y = torch.nn.functional.max_pool2d(x, 2)
    y.sum().backward()
    assert y.shape == (0, 2, 2, 2) and x.grad.shape == x.shape


@pytest.mark.parametrize("dims", [2, 3])
def test_sampling_of_no_images(torch, dims):
    x = torch.zeros(0, 2, *(4, 4, 4)[:dims], requires_grad=True)
    grid = torch.zeros(0, *(3, 3, 3)[:dims], dims, requires_grad=True)
    y = torch.nn.functional.grid_sample(x, grid, align_corners=False)
    y.sum().backward()
    assert y.shape == (0, 2, *(3, 3, 3)[:dims])
    assert x.grad.shape == x.shape and grid.grad.shape == grid.shape


@pytest.mark.parametrize("size", [3, 100])                    # NumPy's kernels, compiled ones
@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
def test_grid_sample_reads_nothing_outside_of_an_image_with_nan(torch, mode, size):
    image = torch.ones(1, 1, 6, 6)
    image[..., 0, :], image[..., -1] = float("nan"), float("inf")
    grid = torch.full((1, size, size, 2), 5.0, requires_grad=True)
    with torch.no_grad():
        grid[0, 0, 0] = 0.0                                   # the middle; all others are far off
    y = torch.nn.functional.grid_sample(image, grid, mode, align_corners=False)
    y.sum().backward()
    assert y[0, 0, 0, 0] == 1 and y.sum() == 1
    assert grid.grad.isfinite().all()


@pytest.mark.parametrize("p", [1, 2])
def test_margins_of_scores_in_another_order_of_memory(torch, p):
    scores, target = torch.tensor(normal(4, 3)).t(), torch.tensor([0, 3, 1])
    losses = [torch.nn.functional.multi_margin_loss(x, target, p=p)
              for x in (scores, scores.contiguous())]
    assert losses[0] == losses[1]


@pytest.mark.parametrize("shape, dim", [((3, 5), 1), ((3, 5), -2), ((2, 3, 4), 1), ((4,), 0),
                                        ((), 0), ((0, 3), 1), ((3, 0), 1), ((30, 500), 1)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_normalizing_is_the_same_where_nothing_records(torch, shape, dim, dtype):
    x1, x2 = (torch.tensor(normal(*shape, seed=seed), dtype=getattr(torch, dtype))
              for seed in (0, 1))
    for function, *rest in ((torch.nn.functional.cosine_similarity, x2),
                            (torch.nn.functional.normalize, 2.0)):
        found = function(x1, *rest, dim)
        recorded = function(x1.clone().requires_grad_(), *rest, dim)
        assert found.shape == recorded.shape and found.stride() == recorded.stride()
        assert found.dtype is recorded.dtype and torch.equal(found, recorded.detach())


@pytest.mark.parametrize("shape", [(0, 3, 4), (2, 0, 4), (2, 3, 0)], ids=str)
def test_pooling_to_one_number_is_a_mean_of_no_numbers_too(torch, shape):
    for dims in (1, 2):
        function = getattr(torch.nn.functional, f"adaptive_avg_pool{dims}d")
        x = torch.ones(shape, requires_grad=True)
        found, expected = function(x, 1), x.mean(tuple(range(-dims, 0)), keepdim=True)
        torch.testing.assert_close(found, expected, equal_nan=True)
        found.sum().backward()
        assert x.grad.shape == shape
    assert found.grad_fn.name() == "MeanBackward1"


@pytest.mark.parametrize("lie", ["in order", "turned"])
@pytest.mark.parametrize("shape", [(3, 9), (2, 3, 9)])
def test_rows_are_pooled_alike_whether_recorded_or_not(torch, shape, lie):
    x = torch.randn(shape) if lie == "in order" else torch.randn(shape[::-1]).mT.mT.permute(
        *reversed(range(len(shape))))
    for pooled in (lambda x: torch.max_pool1d(x, 3, 2, 1), lambda x: torch.max_pool1d(x, 2),
                   lambda x: torch.avg_pool1d(x, 3, 2, 1, count_include_pad=False)):
        recorded = pooled(x.detach().requires_grad_())
        assert recorded.grad_fn.name() == "SqueezeBackward1"
        alone = pooled(x)
        assert alone.equal(recorded) and alone.grad_fn is None
        assert alone._base is None or lie == "turned"            # made by one kernel, no views


def test_group_norm_of_planes_without_elements(torch):
    norm = torch.nn.GroupNorm(1, 3)
    x = torch.ones(2, 3, 0, 5, requires_grad=True)
    norm(x).sum().backward()
    assert x.grad.shape == x.shape
    assert norm.weight.grad.tolist() == norm.bias.grad.tolist() == [0, 0, 0]


def test_a_shrinkage_is_a_number_that_is_real(torch):
    shrink, x = torch.nn.functional.softshrink, torch.ones(2)
    assert shrink(x, 0.5 + 0j).tolist() == [0.5, 0.5] and shrink(x, True).tolist() == [0, 0]
    with pytest.raises(RuntimeError, match="type double without overflow"):
        shrink(x, 0.5j)
    with pytest.raises(RuntimeError, match=r"range \[0, 3.40282e\+38\] .* found 1e\+39"):
        shrink(x, 1e39)
