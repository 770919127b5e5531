"""Arguments for every twin, of a given dtype: `retrograd warmup` and the tests call with them.

Those of layers are in examples_nn.py, those of optimizers and random numbers in
examples_training.py, those of special functions in examples_special.py.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from itertools import product
from multiprocessing import get_context

import numpy as np

from .. import distance, fast, fft, pointwise
from . import BY_LINES, FAMILIES, IN_PLACE, TWINS, twin
from .examples_nn import SHAPE, normal
from .examples_special import Special
from .examples_training import Training


class Calls(Special, Training):
    """The argument lists on which each twin is tried, by its name."""

    def __getitem__(self, name):
        given = getattr(self, name.replace(".", "_"), None)
        if given is not None:
            return given()
        one = (self.x,)
        if name in FAMILIES["ufuncs"]:
            return self.ufunc(getattr(pointwise, name))
        if name in BY_LINES:
            a, b = self.away[0, :240].reshape(6, 2, 1, 20), self.x[0, :80].reshape(2, 2, 20)
            return [*self.ufunc(getattr(pointwise, name)), (a, b), (a[..., :1].copy(), self.bias),
                    (self.g[:, 1:], self.away[:, :-1]),
                    (self.g, np.broadcast_to(self.away[1], SHAPE))]
        return [one] if name in ONE_ARRAY else [(self.g, self.x)]

    def ufunc(self, ufunc):
        """Of as many arrays as it takes; of two of one shape, with a row, a column, a number."""
        x, whole = self.away, np.arange(6600).reshape(SHAPE) * 7919 % 101 + 1
        if not {"f->f", "ff->f", "f->?", "ff->?"} & set(ufunc.types):
            return [(whole,), (whole > 50,)] if ufunc.nin == 1 else [(whole, whole[::-1].copy())]
        if ufunc.nin == 1:
            return [(x + (ufunc is np.arccosh),)]
        column, number = self.away[:, :1].copy(), np.asarray(2.5, x.dtype)
        return [(self.g, x), (self.g, self.bias), (self.bias, self.g), (self.g, column),
                (self.g, number), (x.reshape(2, 3, 1100), self.bias.reshape(1, 1, 1100)),
                (x.reshape(2, 3, 1100), column.reshape(2, 3, 1)),
                (x.reshape(2, 3, 1100), x[:2].reshape(2, 1, 1100)),
                (self.g[:, :500], x[:, 600:])]

    def gradient(self):
        return [(self.g, self.x), (np.broadcast_to(self.g[0, 0], SHAPE), self.x)]

    exp_self = mul_self = mul_other = gradient

    def div_other(self):
        return [(self.g, self.x, self.away), (self.g, self.x, self.away[:, :1])]

    def div_self(self):
        return [(self.g, self.away)]

    def rsub(self):
        return [(self.x, np.asarray(1, self.x.dtype)), (self.x, self.g)]

    erf_self = erfc_self = reciprocal_self = gradient

    def sub_other(self):
        return [(self.g,), (np.broadcast_to(self.g[0, 0], SHAPE),)]

    rsub_self = neg_self = sub_other

    def duplicate(self):
        return [(self.x,), (self.x.view(f"u{self.x.itemsize}"),), (self.x.view("u1"),)]

    def filled(self):
        return [(np.zeros_like(self.x), 2.5), (np.zeros(SHAPE, "i2"), 3)]

    sqrt_self = div_self

    def pow_scalar(self):
        return [(self.away, exponent) for exponent in (2, 3, 0.5, -2)]

    def rsqrt(self):
        return [(self.away,)]

    reciprocal = rsqrt

    def add_scaled(self):
        return [(self.g, self.x, 0.3)]

    sub_scaled = add_scaled

    def lerp_scalar(self):
        return [(self.g, self.x, weight) for weight in (0.3, 0.7)]

    def lerp(self):
        return [(self.g, self.x, self.away - 0.5)]

    def addcmul(self):
        return [(self.g, self.x, self.away, 0.3)]

    addcdiv = addcmul

    def nan_to_num(self):
        hard = self.x.copy()
        hard[0, :3] = np.nan, np.inf, -np.inf
        return [(self.x,), (hard, 1.0, 2.0, -3.0), (hard, None)]

    def celu(self):
        return [(self.x * 10, 1.5)]

    def pow_scalar_self(self):
        return [(g, x, 2) for g, x in self.gradient()] + [(self.g, self.x, 3)]

    def tiny_products(self):
        a, b = (normal(self.x.dtype, 90, 3, 3, seed=k) for k in range(2))
        square, four = a[:, :2, :2].copy(), normal(self.x.dtype, 90, 4, 4)
        return [(a, b), (a, b.swapaxes(1, 2)), (a.swapaxes(1, 2), b[::-1]), (a, b[:, :, :1]),
                (a[:, :, :1], b[:, :1]), (square, square), (four, four.swapaxes(1, 2))]

    def places_among(self):
        values, edges = self.x[0], np.sort(self.g[0])
        edges[5:9] = edges[5]
        values[:40] = edges[::-1][:40]
        rows = np.sort(self.g, -1)
        return [(a, b, right) for right in (False, True)
                for a, b in ((values, edges), (self.x[:, :13], edges[:1]), (self.x, rows),
                             (values[:40], np.append(edges, np.array(np.inf, edges.dtype))))]

    def product(self):
        stack, thin = normal(self.x.dtype, 5, 40, 30), normal(self.x.dtype, 5, 48, 32)
        few, weight = normal(self.x.dtype, 37, 260), normal(self.x.dtype, 45, 260)
        tall, wide = normal(self.x.dtype, 203, 250) / 8, normal(self.x.dtype, 250, 101) / 8
        stacks = normal(self.x.dtype, 3, 71, 30), normal(self.x.dtype, 3, 30, 68)
        return [(few, weight.T, weight[:, 0].copy()), (few, weight.T), (few[:9], weight.T),
                (few[:1], weight.T, weight[:, 0].copy()),
                (self.x.T, self.g), (self.x, self.g.T), (self.x.T, self.g, self.bias),
                (stack, stack.swapaxes(1, 2)), (thin, thin.swapaxes(1, 2)),
                (thin.swapaxes(1, 2), thin), (tall, wide, wide[0].copy()), (tall.T, tall, tall[0]),
                (wide.T, tall.T), (tall[:29], tall[:90].T), stacks]

    def sum_all(self):
        return [(self.x,), (self.x.T,)]

    mean_all = sum_all

    def sum_dim(self):
        four = self.x.reshape(6, 4, 25, 11)
        return [(self.x, 1, False), (self.x, (0,), True), (self.x, (0, 1), False),
                (self.x.reshape(660, 10), 0, False), (self.x.reshape(20, 330), 0, True),
                (four, (1, 2), True), (four, 2, False), (four, (0, 2, 3), False),
                (self.x.reshape(6, 220, 5), 1, False), (self.x.T, 0, False),
                (four.transpose(2, 0, 3, 1), (0, 2), False), (four.transpose(3, 0, 2, 1), 1, True),
                (four[..., :6], 1, False), (four[:, :, ::2], (1, 2), True)]

    mean_dim = sum_dim

    def sum_to(self):
        four = self.x.reshape(6, 4, 25, 11)
        return [(self.x, SHAPE[1:]), (self.x, (1, SHAPE[1])), (self.x, ()), (self.x, SHAPE),
                (self.x, (1, 1)), (np.broadcast_to(self.x[0, 0], SHAPE), (6, 1)),
                (four, (6, 1, 1, 11)), (four, (4, 25, 1)), (four, (4, 1, 1))]

    def cast(self):
        half, single = np.dtype("float16"), np.dtype("float32")
        return [(self.x, half), (self.x.astype(half), single)] if self.x.dtype == single else []

    def prod_dim(self):
        return [(self.x[:, :40].copy(), 1, keepdim) for keepdim in (False, True)] + [
            (self.x[:, :40], 1, False)]

    def amax(self):
        with_nan = self.x.copy()
        with_nan[2, 5], with_nan[3, 7], with_nan[4, 0] = np.nan, -np.nan, np.inf
        with_nan[5] = -np.abs(with_nan[5])
        with_nan[5, 6] = -0.0
        cube = with_nan.reshape(6, 110, 10)
        return [(with_nan, 1, False), (-with_nan, (1,), True),
                (with_nan.reshape(660, 10), (0,), True), (cube, 1, False), (cube, (0, 1), True),
                (with_nan.T, 0, False), (cube.transpose(2, 0, 1), 2, True),
                (cube[:, :, ::2], 1, True)]

    amin = amax

    def var(self):
        """All in one chunk and in three, and rows."""
        long = np.concatenate([self.x.reshape(-1), self.g.reshape(-1), self.x[0]]) + 40
        return [(self.x, (0, 1), 1, True), (long, 0, 0, False), (self.x, (1,), 1, False),
                (self.x.reshape(6, 4, 275), (2,), 0.5, True),
                (np.full_like(long, 0.1), (0,), 1, True)]

    def linalg_vector_norm(self):
        return [(self.x, 2, (0, 1), False), (self.x.T, 2, (0, 1), True), (self.x, 2, (1,), True),
                (self.x.reshape(6, 4, 275), 2, (2, 1), False)]

    def cumsum(self):
        wide = self.x.astype(np.float64).view(np.complex128)
        return [(self.x, 1), (self.x, 0), (self.x.reshape(6, 4, 275), 1),
                (wide.astype(np.result_type(self.x, 1j)), 1),
                *(((self.x * 50).astype(kind), 1) for kind in ("i8", "i4", "i1", "?"))]

    def cumprod(self):
        return [(self.away[:, :40].copy(), -1), (self.away[:, :40].copy().reshape(6, 8, 5), 1)]

    def clone_contiguous(self):
        cubes, wide = self.x.reshape(6, 4, 5, 55), self.x.astype(np.float64)
        bits = self.x.view(f"i{self.x.itemsize}")
        orders = (0, 2, 3, 1), (0, 3, 1, 2), (3, 2, 1, 0), (1, 0, 3, 2), (0, 1, 3, 2)
        colours = wide.reshape(2, 3, 1100)                     # more than a block in each plane
        return [(a,) for a in (self.x.T, bits.T, wide.T, wide.view("c8").T, self.x[1:].T,
                               *(np.ascontiguousarray(colours[:, :n]).view(kind).swapaxes(1, 2)
                                 for n in (2, 3) for kind in ("u1", "f2", "f8")),
                               *(cubes.transpose(dims) for dims in orders),
                               *(np.broadcast_to(part, cubes.shape).swapaxes(-1, -2)
                                 for part in (cubes[:, :1], cubes[:1], cubes[0, 0])),
                               *(a.reshape(6, 10, -1).swapaxes(0, 1)
                                 for a in (self.x, self.x.view("u1"), wide.view("c8"))),
                               *self.short_rows(self.x), *self.short_rows(wide.view("i8")),
                               *self.short_rows(wide.view("c8")))]

    @staticmethod
    def short_rows(a):
        """Many rows with gaps between them: of three numbers, and of five in two dimensions more.
        """
        return np.resize(a, (2100, 5))[:, 1:4], np.resize(a, (5, 30, 20, 7))[1:, 1:, 1:, 2:]

    def overwrite(self):
        outs = self.short_rows(np.zeros_like(self.x))
        return [(out, np.resize(self.x, out.shape)) for out in outs]

    def make_complex(self):
        return [(self.x, self.g)]

    def joined(self):
        return [((self.x, self.g[:, :1].copy(), self.away), 1),
                ((self.x.reshape(2, 3, -1), self.g.reshape(2, 3, -1)), -2)]

    def flip(self):
        return [(self.x, (1,)), (self.x.reshape(6, 4, 275), (-1,))]

    def tril(self):
        stack = self.x.reshape(6, 20, 55)
        return [(a, k) for a in (self.x, stack, stack.swapaxes(1, 2).copy())
                for k in (0, 3, -2, -70, 60)]

    triu = tril

    def cummax(self):
        hard = self.x.round(1)
        hard[2, 40], hard[3, 0], hard[4, 9] = np.nan, np.nan, -np.inf
        whole = (9 * self.x).astype(np.int64)
        whole[0, :9:4] = np.iinfo(np.int64).min
        return [(hard, 1), (hard.T, 0), (hard.reshape(6, 4, 275), 1), (whole, 1), (whole, 0)]

    cummin = cummax

    def sort(self):
        hard = self.x[:, :40].round(1)
        hard[1, ::2] *= 0
        hard[2, 8:], hard[3, ::7], hard[3, 9], hard[4, ::3] = np.inf, np.nan, -np.nan, -np.inf
        whole = (9 * hard[:3]).clip(-9, 9).astype(np.int64)
        return [(a.reshape(-1, *shape), dim, down) for a in (hard, whole) for down in (False, True)
                for shape, dim in (((8, 5), 1), ((5,), -1), ((2, 5), 1), ((40,), 0))] + [
            (hard.reshape(-1, 8, 5).swapaxes(1, 2), 2, False), (hard[:, ::5], 1, True),
            (self.x.reshape(6, 5, 220), 1, True)] + [
            (np.resize(a, (2, count)), 1, down) for a in (hard, self.x) for down in (False, True)
            for count in (700, 9000)]                    # long rows, and those of wide digits

    def max_dim(self):
        hard = self.x[:, :40].round(1)
        hard[1, ::2] *= 0
        hard[2, 8:], hard[3, 7], hard[3, 9], hard[4] = np.inf, np.nan, -np.nan, -np.inf
        cube = hard.reshape(6, 8, 5)
        return [(hard.T, 0, False), (cube.transpose(2, 0, 1), -1, True), (cube[:, ::2], 1, False),
                (hard, 1, True), (-hard, -1, False), (cube, 2, False), (cube, 1, True),
                (hard, 0, False), (-cube.reshape(2, 3, 40), -2, False)]

    min_dim = max_dim

    def topk(self):
        hard = self.x.copy()
        hard[2, :3] = np.inf, np.nan, -np.inf
        hard[1, ::2] *= 0
        return [(hard.T.copy(), 7, 0, True, True)] + [
            (a, k, 1, largest, True) for a in (hard, self.x.argsort(1))
            for k, largest in ((1, False), (7, True), (7, False), (40, True), (40, False))]

    def add_along(self):
        places = np.arange(6 * 50).reshape(6, 50) * 7919
        few, many = self.x[:, :50].copy(), self.g.reshape(2, 3, -1).copy()
        return [(places % 30, few, self.g.copy(), 1), (places % 6, few, few.copy(), 0),
                (np.arange(many.size).reshape(many.shape) * 7919 % 3, many, many.copy(), 1)]

    def put_along(self):
        index, _, out, dim = self.add_along()[0]
        return [*self.add_along(), (index, 2, out, dim)]

    def combine_along(self):
        hard = self.x[:, :50].copy()
        hard[2, :3] = np.inf, np.nan, -np.inf
        index = np.broadcast_to((np.arange(6) * 5 % 4)[:, None], hard.shape)    # of whole rows
        calls = [*self.add_along(), (index, hard, hard[:4] * 2, 0)]
        return [(index, src, out.copy(), dim, reduce) for index, src, out, dim in calls
                for reduce in ("sum", "prod", "amax", "amin")]

    def squares(self):
        return [normal(self.x.dtype, 4, 5, n, n) + 2 * np.eye(n, dtype=self.x.dtype)
                for n in (1, 3, 7)]

    def linalg_inv_ex(self):
        return [(a,) for a in self.squares()]

    linalg_det = linalg_slogdet = linalg_inv_ex

    def linalg_solve(self):
        return [(a, normal(a.dtype, *a.shape[:-1], 2), True) for a in self.squares()]

    def linalg_solve_triangular(self):
        for n in (1, 7, 20):
            a = normal(self.x.dtype, 4, 5, n, n) / 4 + 2 * np.eye(n, dtype=self.x.dtype)
            for columns in (2, 9, 70):
                b = normal(a.dtype, *a.shape[:-1], columns)
                for upper, unit in product((True, False), (True, False)):
                    for m in (a, a.swapaxes(2, 3)):
                        yield m, b, upper, True, unit
                        yield m, b.swapaxes(2, 3), upper, False, unit
        yield a[0, 0], b, True, True, False

    def linalg_cholesky_ex(self):
        large = [normal(self.x.dtype, n, n) + 8 * np.eye(n, dtype=self.x.dtype) for n in (40, 150)]
        calls = [(a @ a.swapaxes(-1, -2) + np.eye(a.shape[-1], dtype=a.dtype), False)
                 for a in (*self.squares(), *large)]
        return [*calls, (calls[-1][0], True)]

    def glu_dim(self):
        cube = self.x.reshape(6, 4, 275)
        return [(self.x, 1), (self.x, 0), (cube, 1), (cube.transpose(2, 0, 1), 1),
                (cube[:, ::2], 1)]

    def glu_backward(self):
        x, g = (a.reshape(6, 4, 275).transpose(2, 0, 1) for a in (self.x, self.g))
        return [(self.g[:, :550], self.x, 1), (self.g[:3], self.x, 0), (g[:, :3], x, 1)]

    def prelu_kernel(self):
        x = self.x.reshape(6, 4, 25, 11)
        return [(x, self.weight[:4].reshape(1, 4, 1, 1)), (x, self.weight[:1].reshape(1, 1, 1, 1))]

    def prelu_backward(self):
        return [(self.g.reshape(x.shape), x, w) for x, w in self.prelu_kernel()]

    def remainder_scalar(self):
        return [(self.x, other) for other in (0.7, -0.3, 0.0)]

    fmod_scalar = remainder_scalar

    def remainder(self):
        hard = np.array([3.0, -3.0, np.inf, np.nan, 5.0, -5.0, 1e30, 7.0, -0.0, 0.25])
        hard = np.tile(hard.astype(self.x.dtype), (len(hard), 1))
        near = np.arange(1, 65, dtype=self.x.dtype).reshape(8, 8)         # to multiples of 0.1
        return [(self.g, self.x), (self.g, np.asarray(0.5, self.x.dtype)), (hard, hard.T.copy()),
                (near, np.full_like(near, 0.1))]

    fmod = remainder

    def div_rounded(self):
        return [(*args, "floor") for args in self.remainder()] if self.x.dtype.char == "f" else []

    def floor_divide(self):
        return [args[:2] for args in self.div_rounded()]

    def three(self):
        return [(self.g, self.x, self.x.round()), (self.g, self.x.round(), self.g.round())]

    maximum_self = maximum_other = minimum_self = minimum_other = three

    def bounded(self):
        return [(self.x, 0.5)]

    clamp_min_number = clamp_max_number = bounded

    def clamp_numbers(self):
        return [(self.x, -0.5, 0.5), (self.x, 0.5, -0.5), (self.x, None, 0.5)]

    def clamp_numbers_self(self):
        return [(self.g, *args) for args in self.clamp_numbers()]

    def clamp_min_number_self(self):
        return [(self.g, *args) for args in self.bounded()]

    clamp_max_number_self = clamp_min_number_self

    def where(self):
        return [(self.x > 0, *values) for values in (
            (self.x, self.g), (self.x, 0), (0.5, self.g))]

    def fill_masked(self):
        """Masks of x's shape, of fewer dimensions, and of one for all rows, columns or both."""
        x, y = self.x.reshape(2, 3, 1100), self.g.copy()
        masks = [x > 0, x[0] > 0, x[:, :1] > 0, x[:1, :, :1] > 0, x[:1, :1, :1] > 0]
        return [*((x, mask, -np.inf) for mask in masks), (y, x[0, 0] > 0, 0.5, y)]

    def elu(self):
        return [(self.x * 10, 1.5, 2.0, 0.5)]

    def elu_backward(self):
        return [(self.g, *args, by_result) for args in self.elu() for by_result in (False, True)]

    def softplus(self):
        return [(self.x * 10, 2, 5)]

    def softplus_backward(self):
        return [(self.g, *args) for args in self.softplus()]

    def threshold(self):
        return [(self.x, 0.1, -2.0)]

    def hardshrink(self):
        return [(self.x, 0.5)]

    softshrink = hardshrink

    def hardshrink_backward(self):
        return [(self.g, self.x, 0.5)]

    softshrink_backward = hardshrink_backward

    def hardtanh(self):
        return [(self.x, -0.5, 0.7), (self.x,)]

    def hardtanh_backward(self):
        return [(self.g, self.x, -1.0, 0.5)]

    def fft_r2c(self):
        x = 0.1 * self.x.reshape(6, 20, 55)
        return [(x, dim, scale, onesided) for dim in ((2,), (0, 1)) for scale in ("none", "root")
                for onesided in (True, False)]

    def fft_c2c(self):
        return [(fft.fft_c2c(x, dim, "root", True), dim, scale, forward)
                for x, dim, scale, forward in self.fft_r2c()]

    def fft_c2r(self):
        return [(fft.fft_r2c(x, dim, "whole", True), dim, scale, x.shape[dim[-1]])
                for x, dim, scale, _ in self.fft_r2c()]

    def far_apart(self):
        """(result, x1, x2, p) of every kind of p, with equal rows."""
        x, y = normal(self.x.dtype, 2, 7, 5), normal(self.x.dtype, 2, 9, 5, seed=1)
        y[0, 3], y[1, 2, 1:] = x[0, 2], x[1, 4, 1:]
        return [(np.empty((2, 7, 9), x.dtype), x, y, p) for p in (0.0, 1.0, 2.0, 2.5, np.inf)]

    def fill_distances(self):
        return self.far_apart()

    def fill_pair_distances(self):
        return [(np.empty(21, x.dtype), y[0, :7].copy(), p) for _, x, y, p in self.far_apart()]

    def cdist_backward(self):
        return [(normal(out.dtype, *out.shape), x, y, p, distance.fill_distances(out, x, y, p))
                for out, x, y, p in self.far_apart()]

    def pdist_backward(self):
        return [(normal(out.dtype, *out.shape), x, p, distance.fill_pair_distances(out, x, p))
                for out, x, p in self.fill_pair_distances()]

    def add_rows(self):
        rows = normal(self.x.dtype, 60, 4, 10)
        columns = np.zeros((4, 10, 9), self.x.dtype).transpose(2, 0, 1)
        found = np.argwhere(np.arange(420).reshape(60, 7) % 8 == 3)[:, 1]       # lies in a column
        return [(np.zeros((9, 4, 10), self.x.dtype), np.arange(60) % 7, rows),
                (np.zeros((9, 4, 10), self.x.dtype), found, rows[:found.size]),
                (columns, np.arange(60) % 7, rows)]

    def add_products(self):
        rows, columns = np.arange(60) % 7, np.arange(60) * 5 % 9
        values, b = normal(self.x.dtype, 60), normal(self.x.dtype, 9, 40)
        return [(np.zeros((8, 40), self.x.dtype), rows, columns, values, b)]

    def gather(self):
        x = self.x.reshape(2, 3, -1)
        return [(self.x, np.arange(24).reshape(6, 4) * 37 % SHAPE[1], 1),
                (x, np.arange(5 * x[:, 0].size).reshape(2, 5, -1) * 37 % 3, 1)]

    def add_at(self):
        return [(self.bias.copy(), np.arange(60) % 7, self.weight[:60].copy())]

    def threshold_backward(self):
        return [(self.g, self.x, 0), (self.g, self.x, 0.5)]

    def leaky_relu(self):
        return [(self.x, 0.01)]

    def leaky_relu_backward(self):
        return [(self.g, self.x, 0.01)]

    def gelu_by(self):
        return [(self.x, "none"), (self.x, "tanh")]

    def gelu_backward(self):
        return [(self.g, self.x, "none"), (self.g, self.x, "tanh")]


ONE_ARRAY = ("abs", "round", "exp", "tanh", "sigmoid", "silu", "relu", "erf", "square",
             "log_sigmoid", "mish", "hardsigmoid", "hardswish", "sgn", "sign", "frac", "prod_all",
             "sin", "cos")


PRECISIONS = ("float32", "float64")


def warm_up() -> int:
    """Compile every twin for float32 and float64, or load it; how many twins there are.

    Processes share the work, one for each of the threads that are allowed: Numba compiles one
    kernel at a time.
    """
    tasks = zip(*[(name, dtype) for dtype in PRECISIONS for name in TWINS], strict=True)
    try:
        processes = ProcessPoolExecutor(fast.threads, get_context("spawn"))
    except (ImportError, OSError):               # a system without semaphores
        for _ in map(warm, *tasks):
            pass
    else:
        with processes:
            for _ in processes.map(warm, *tasks):
                pass
    return len(TWINS)


def warm(name: str, dtype: str) -> None:
    """Call a twin with each of its examples, and in place where that is another kernel."""
    from . import machine

    machine.told = True             # who warms up has asked for it
    before, fast.SHARED = fast.SHARED, 0
    try:
        for args in Calls(dtype)[name]:
            twin(name)(*args)
            if name in IN_PLACE:
                target = args[0].copy()
                twin(name)(target, *args[1:], out=target)
    finally:
        fast.SHARED = before
