"""Formulas by blocks of rows (kernels/blocks.py) and the threads that share them."""

import threading
import time

import numpy as np
import pytest

from retrograd.kernels import activation, attention, blocks, conv, fast, gelu, norm, sharing


def normal(*shape, seed=0, dtype=np.float32):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks of 4,096 bytes, so that arrays of some ten thousand numbers have many."""
    monkeypatch.setattr(blocks, "BLOCK", 4096)


def layer_norm(x, g, weight):
    size = x.shape[1:]
    y, mean, rstd = norm.native_layer_norm_of(x, weight, weight, size, 1e-5)
    back = norm.native_layer_norm_backward(g, x, size, mean, rstd, weight, weight, (1, 1, 1))
    plain = norm.native_layer_norm_backward(g, x, size, mean, rstd, None, None, (1, 0, 0))[0]
    return y, mean, rstd, *back, plain


def group_norm(x, g, weight):
    n, c, size = x.shape
    y, mean, rstd = norm.native_group_norm_of(x, weight, weight, n, c, size, 2, 1e-5)
    back = norm.native_group_norm_backward(g, x, mean, rstd, weight, n, c, size, 2, (1, 1, 1))
    return y, mean, rstd, *back


def standardized(wide, weight, g, axes, groups):
    """y and the gradients in float64: of rows (groups, n), each of them standardized."""
    rows, g_rows = wide.reshape(groups, -1), (g * weight).reshape(groups, -1)
    mean = rows.mean(1, keepdims=True)
    rstd = 1 / np.sqrt(rows.var(1, keepdims=True) + 1e-5)
    off = (rows - mean) * rstd
    back = rstd * (g_rows - g_rows.mean(1, keepdims=True)
                   - off * (g_rows * off).mean(1, keepdims=True))
    off = off.reshape(wide.shape)
    return off * weight + weight, back.reshape(wide.shape), (g * off).sum(axes), g.sum(axes)


@pytest.mark.parametrize("shape", [(300, 37), (41, 256), (30, 1000), (3, 9000), (1300, 8),
                                   (9, 1025)])
def test_layer_norm_by_blocks(small_blocks, shape):
    x, g, weight = normal(*shape) + 3, normal(*shape, seed=1), normal(shape[1], seed=2)
    got = layer_norm(x, g, weight)
    wide = [a.astype(np.float64) for a in (x, weight, g)]
    y, gx, gw, gb = standardized(*wide, 0, len(x))
    for res, exact in zip((got[0], *got[3:6]), (y, gx, gw, gb), strict=True):
        np.testing.assert_allclose(res, exact, rtol=0, atol=2e-6 * max(1, np.abs(exact).max()))
    plain = standardized(wide[0], np.ones_like(weight), wide[2], 0, len(x))[1]
    np.testing.assert_allclose(got[6], plain, rtol=0, atol=4e-6)


@pytest.mark.parametrize("shape", [(6, 4, 700), (40, 6, 64), (900, 4, 3)])
def test_group_norm_by_blocks(small_blocks, shape):
    x, g, weight = normal(*shape) + 3, normal(*shape, seed=1), normal(shape[1], seed=2)
    got = group_norm(x, g, weight)
    wide = [a.astype(np.float64) for a in (x, weight[:, None], g)]
    exact = standardized(*wide, (0, 2), 2 * len(x))
    for res, expected in zip((got[0], *got[3:]), exact, strict=True):
        atol = 2e-6 * max(1, np.abs(expected).max())
        np.testing.assert_allclose(res, expected, rtol=0, atol=atol)


@pytest.mark.parametrize("shape, dim", [
    ((300, 37), 1), ((30, 1000), 1), ((3, 9000), 1), ((2000, 6), 1), ((7, 1500), 0),
    ((12, 10, 100), 1), ((5, 300, 8), 1), ((5, 300, 8), -1)])
def test_softmax_by_blocks(small_blocks, shape, dim):
    x, g = normal(*shape) * 5, normal(*shape, seed=1)
    dim %= x.ndim
    wide, slope = x.astype(np.float64), g.astype(np.float64)
    log = wide - wide.max(dim, keepdims=True)
    log -= np.log(np.exp(log).sum(dim, keepdims=True))
    y = np.exp(log)
    got = activation.softmax_dim(x, dim)
    np.testing.assert_allclose(got, y, rtol=4e-6, atol=0)
    np.testing.assert_allclose(activation.log_softmax_dim(x, dim), log, rtol=1e-6, atol=2e-6)
    np.testing.assert_allclose(activation.softmax_backward(g, got, dim),
                               y * (slope - (slope * y).sum(dim, keepdims=True)), atol=1e-6)
    total = slope.sum(dim, keepdims=True)
    np.testing.assert_allclose(activation.log_softmax_backward(g, log.astype(x.dtype), dim),
                               slope - y * total, rtol=0, atol=1e-6 * max(1, np.abs(total).max()))


def test_turned_arrays_keep_their_order(small_blocks):
    x = normal(90, 170).T
    got = gelu.gelu_by(x)
    assert got.strides == x.strides
    np.testing.assert_array_equal(got, gelu.gelu_by(np.ascontiguousarray(x)))
    np.testing.assert_allclose(activation.softmax_dim(x, 0).sum(0), 1, rtol=1e-6)


@pytest.mark.parametrize("threads", [2, 3])
def test_same_bits_from_any_number_of_threads(small_blocks, monkeypatch, threads):
    x, g, weight = normal(64, 300), normal(64, 300, seed=1), normal(300, seed=2)

    def results():
        y = activation.softmax_dim(x, 1)
        return [*layer_norm(x, g, weight), gelu.gelu_by(x), gelu.gelu_backward(g, x), y,
                activation.softmax_backward(g, y, 1), activation.log_softmax_dim(x, 1),
                *group_norm(x.reshape(8, 8, 300), g.reshape(8, 8, 300), weight[:8])]
    monkeypatch.setattr(fast, "threads", 1)
    alone = results()
    monkeypatch.setattr(fast, "threads", threads)
    for one, shared in zip(alone, results(), strict=True):
        np.testing.assert_array_equal(one, shared)


CONVOLUTIONS = {  # x, w, stride, padding, dilation, groups
    "padded": ((21, 3, 12, 10), (5, 3, 3, 3), (1, 1), (1, 1), (1, 1), 1),
    "of two groups": ((9, 4, 11, 11), (6, 2, 3, 2), (2, 1), (2, 0), (1, 2), 2),
    "one large image": ((1, 4, 60, 31), (8, 4, 5, 3), (1, 2), (2, 1), (1, 1), 1),
    "one position": ((21, 6, 9, 9), (7, 6, 1, 1), (1, 1), (0, 0), (1, 1), 1),
    "one dimension": ((30, 5, 90), (8, 5, 4), (2,), (3,), (1,), 1)}


def convolved(x, w, stride, padding, dilation, groups):
    """A convolution and its two gradients."""
    shape = conv.output_shape(x.shape, w.shape, stride, padding, dilation)
    sizes = stride, padding, dilation, groups
    g = normal(*shape, seed=2, dtype=x.dtype)
    bias = normal(len(w), seed=3, dtype=x.dtype)
    return (conv.correlate(x, w, shape, *sizes, bias), conv.spread(g, w, x.shape, *sizes),
            conv.correlate_weight(g, x, w.shape, *sizes))


@pytest.fixture
def small_parts(monkeypatch):
    """Convolutions of some thousand numbers in many parts."""
    for name, size in (("BLOCK", 6000), ("LEAST", 100), ("COLUMNS", 20)):
        monkeypatch.setattr(conv, name, size)
    monkeypatch.setattr(conv.conv_few, "takes", lambda *args: False)


@pytest.mark.parametrize("case", CONVOLUTIONS)
def test_convolutions_in_parts(monkeypatch, small_parts, case):
    x_shape, w_shape, *sizes = CONVOLUTIONS[case]
    counts, share = [], conv.share_products
    monkeypatch.setattr(conv, "share_products", lambda begin, parts: (
        counts.append(len(parts)) or share(begin, parts)))
    monkeypatch.setattr(fast, "threads", 2)
    x, w = normal(*x_shape), normal(*w_shape, seed=1)
    parts = convolved(x, w, *sizes)
    assert len(counts) >= 2 and min(counts) > 1 and counts[-1] <= conv.TOTALS
    monkeypatch.setattr(fast, "threads", 1)
    for one, shared in zip(convolved(x, w, *sizes), parts, strict=True):
        np.testing.assert_array_equal(one, shared)
    monkeypatch.setattr(conv, "BLOCK", 1 << 30)
    monkeypatch.setattr(conv, "LEAST", 1 << 30)
    for part, single in zip(parts, convolved(x, w, *sizes), strict=True):
        np.testing.assert_allclose(part, single, rtol=0, atol=2e-5 * np.abs(single).max())


ATTENDED = {  # leading dimensions, queries, keys, the mask's shape, causal
    "heads together": ((7, 3), 6, 9, None, True),
    "each head": ((2, 3), 13, 12, (2, 1, 1, 12), False),
    "rows of a head": ((2, 2), 90, 40, (90, 40), True),
    "no leading dimension but one": ((3,), 90, 17, (3, 90, 17), False)}


@pytest.mark.parametrize("case", ATTENDED)
def test_attention_in_parts(monkeypatch, case):
    lead, count, keys, mask, causal = ATTENDED[case]
    query, g = (normal(*lead, count, 8, seed=n) for n in range(2))
    key, value = (normal(*lead, keys, 8, seed=n) for n in (2, 3))
    mask = None if mask is None else normal(*mask, seed=4)

    def results(arrays):
        y, logs = attention.flash_attention(*arrays[1:4], arrays[4], causal, 0.3)
        return y, logs, *attention.flash_attention_backward(
            arrays[0], *arrays[1:4], y, logs, arrays[4], causal, 0.3)
    arrays = g, query, key, value, mask
    whole = results([a if a is None else a.astype("d") for a in arrays])
    monkeypatch.setattr(attention, "SCORES", 128)
    monkeypatch.setattr(attention, "HEIGHT", 16)
    counts, share = [], attention.share_products
    monkeypatch.setattr(attention, "share_products", lambda begin, parts: (
        counts.append(len(parts)) or share(begin, parts)))
    monkeypatch.setattr(fast, "threads", 2)
    parts = results(arrays)
    assert min(counts) > 1
    for exact, part in zip(whole, parts, strict=True):
        np.testing.assert_allclose(part, exact, rtol=0, atol=1e-5 * np.abs(exact).max())
    monkeypatch.setattr(fast, "threads", 1)
    for one, part in zip(results(arrays), parts, strict=True):
        np.testing.assert_array_equal(one, part)


def test_a_nan_that_comes_later_is_seen(monkeypatch):
    """Causal attention leaves out keys that come after a block of rows, but for these."""
    monkeypatch.setattr(attention, "SCORES", 128)
    monkeypatch.setattr(attention, "HEIGHT", 16)
    query, value = normal(1, 2, 40, 8), normal(1, 2, 40, 8, seed=1)
    some = attention.flash_attention(query, query, value, None, True, 0.3)[0]
    assert np.isfinite(some).all()
    value[0, 1, -1, 3] = np.nan
    y = attention.flash_attention(query, query, value, None, True, 0.3)[0]
    assert np.isnan(y[0, 1, :, 3]).all() and np.isfinite(y[0, 0]).all()


def test_settings_of_numpy_are_left_as_they_were(small_blocks):
    before = np.getbufsize()
    activation.softmax_dim(normal(64, 300), 1)
    assert np.getbufsize() == before


# --------------------------------------------------------------------------- threads

def in_turn(part):
    """A part of the work that lets other threads run."""
    time.sleep(0.001)
    return part, threading.get_ident()


def test_parts_are_shared_and_results_in_order(monkeypatch):
    monkeypatch.setattr(fast, "threads", 2)
    results = sharing.share(lambda: in_turn, range(40))
    assert [part for part, _ in results] == [*range(40)]
    assert len({who for _, who in results}) == 2
    monkeypatch.setattr(fast, "threads", 1)
    assert {who for _, who in sharing.share(lambda: in_turn, range(4))} == {threading.get_ident()}


def test_errors_of_helpers_reach_the_caller(monkeypatch):
    monkeypatch.setattr(fast, "threads", 2)
    here = threading.get_ident()

    def fails_elsewhere(part):
        time.sleep(0.001)
        if threading.get_ident() != here:
            raise KeyError("lost")
    with pytest.raises(KeyError, match="lost"):
        sharing.share(lambda: fails_elsewhere, range(100))
    assert [part for part, _ in sharing.share(lambda: in_turn, range(9))] == [*range(9)]


def test_helpers_have_the_callers_settings(monkeypatch):
    """What np.errstate says holds for the whole of the work."""
    monkeypatch.setattr(fast, "threads", 2)

    def setting(part):
        time.sleep(0.001)
        return np.geterr()["over"], threading.get_ident()
    with np.errstate(over="raise"):
        results = sharing.share(lambda: setting, range(40))
    assert {over for over, _ in results} == {"raise"}
    assert len({who for _, who in results}) == 2


def test_a_second_caller_works_alone(monkeypatch):
    monkeypatch.setattr(fast, "threads", 2)

    def inner(part):
        return {who for _, who in sharing.share(lambda: in_turn, range(3))}, threading.get_ident()
    for who, caller in sharing.share(lambda: inner, range(6)):
        assert who == {caller}
