"""Arguments for the twins of layers, losses and samplers: see examples.py."""

from __future__ import annotations

from itertools import product

import numpy as np

try:
    from ml_dtypes import bfloat16
except ImportError:                          # then there are no such numbers
    bfloat16 = None

from .. import attention, axismap, cells, ctc, pool, recurrent
from ..conv import output_shape
from ..layout import channels_innermost
from .tile import ADDS_PAIRS

SHAPE = (6, 1100)          # rows of more than one block: see rows.py


def normal(dtype, *shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def part(a, shape):
    """The first elements of an array, repeated as often as it takes, in a shape of their own."""
    return np.resize(a, shape)


class Layers:
    """The arrays that all arguments are made of, and the arguments of layers."""

    def __init__(self, dtype):
        self.g, self.x = normal(dtype, *SHAPE, seed=1), normal(dtype, *SHAPE)
        self.away = abs(self.x) + 0.5                # from zero
        self.weight, self.bias = normal(dtype, SHAPE[1], seed=2), normal(dtype, SHAPE[1], seed=3)

    def convolutions(self):
        """(x, w, y, stride, padding, dilation, groups) of all kinds."""
        sizes = [((3, 4, 9), (6, 2, 3), (2,), (1,), (1,), 2),
                 ((2, 3, 7, 6), (5, 3, 3, 3), (1, 1), (1, 2), (1, 1), 1),
                 ((2, 2, 8, 7), (3, 2, 3, 2), (3, 2), (1, 0), (2, 1), 1),
                 ((2, 3, 6, 40), (3, 1, 3, 3), (1, 1), (1, 1), (1, 1), 3),
                 ((2, 2, 5, 7), (20, 2, 1, 1), (2, 2), (0, 0), (1, 1), 1),
                 ((17, 2, 3, 4, 5), (9, 2, 2, 2, 3), (2, 1, 1), (1, 0, 1), (1, 1, 2), 1),
                 ((17, 16, 6, 5), (16, 16, 3, 4), (2, 1), (1, 2), (1, 1), 1),
                 ((3, 32, 40), (64, 16, 9), (1,), (4,), (1,), 2),
                 ((2, 130, 3, 3), (6, 130, 3, 1), (1, 1), (1, 0), (1, 1), 1),
                 ((2, 16, 15, 15), (15, 16, 1, 1), (1, 1), (0, 0), (1, 1), 1),
                 ((9, 142, 5, 6), (64, 71, 3, 3), (1, 1), (1, 2), (1, 2), 2),     # borders
                 ((2, 34, 9, 10), (32, 34, 3, 3), (1, 1), (1, 1), (1, 1), 1),   # squares
                 ((3, 3, 9, 8), (3, 1, 3, 3), (2, 2), (1, 1), (1, 1), 3),
                 ((2, 3, 9, 45), (3, 1, 3, 4), (2, 1), (0, 5), (1, 2), 3),
                 ((3, 19, 9, 8), (19, 1, 3, 3), (2, 2), (1, 1), (1, 1), 19)]
        for x, w, *where, groups in sizes:
            y = output_shape(x, w, *where)
            given = [0.2 * normal(self.x.dtype, *shape) for shape in (x, w, y)]
            yield *given, (*where, groups)
            if len(x) == 4:
                yield *map(channels_innermost, given), (*where, groups)

    def convolution(self):
        """As a layer calls it, and with the results as inputs of the transpose."""
        for x, w, y, (*where, groups) in self.convolutions():
            outputs, inputs = normal(x.dtype, y.shape[1]), normal(x.dtype, x.shape[1])
            none = (0,) * (x.ndim - 2)
            yield x, w, outputs, *where, False, none, groups
            yield y, w, inputs, *where, True, none, groups

    def correlate(self):
        return [(x, w, y.shape, *where) for x, w, y, where in self.convolutions()]

    def spread(self):
        return [(y, w, x.shape, *where) for x, w, y, where in self.convolutions()]

    def correlate_weight(self):
        return [(y, x, w.shape, *where) for x, w, y, where in self.convolutions()]

    def bias_gradient(self):
        return [(y,) for _, _, y, _ in self.convolutions()]

    def max_pool_2d(self):
        x = normal(self.x.dtype, 2, 3, 7, 6).round(1)      # with ties
        x[0, 1], x[1, 2, 3, 3] = -np.inf, np.nan
        last = channels_innermost(np.tile(x, (1, 12, 1, 1)))
        return [(image, *where, ceil_mode) for ceil_mode in (False, True) for image in (x, last)
                for where in (((2, 2), (2, 2), (0, 0), (1, 1)), ((3, 2), (2, 1), (1, 1), (1, 2)),
                              ((3, 3), (4, 3), (1, 0), (1, 1)))]

    def max_pool_3d(self):
        return [(normal(self.x.dtype, 2, 3, 4, 5, 6), (2, 3, 2), (2, 1, 2), (1, 0, 1), (1, 2, 1),
                 True)]

    def max_pool_backward(self):
        for args in (*self.max_pool_2d(), *self.max_pool_3d()):
            best, indices = pool.max_pool_2d(*args)
            yield normal(self.x.dtype, *best.shape), indices, args[0], False

    def adaptive_max_pool_2d(self):
        x, *_ = self.max_pool_2d()[0]
        return [(x, (3, 4)), (x, (7, 6)), (normal(self.x.dtype, 3, 2, 9, 8), (1, 1))]

    def adaptive_max_pool_3d(self):
        return [(normal(self.x.dtype, 2, 3, 4, 5, 6), (2, 3, 5))]

    def apply_maps(self):
        x = normal(self.x.dtype, 3, 2, 9, 8)
        for maps in ((pool.window_map(9, 3, 2, 1, 5), pool.window_map(8, 2, 2, 0, 4)),
                     (pool.adaptive_map(9, 4), pool.adaptive_map(8, 8)),
                     (pool.window_map(9, 2, 3, 0, 3), pool.adaptive_map(8, 6))):
            for image in (x, channels_innermost(np.tile(x, (1, 10, 1, 1)))):
                yield image, maps
                yield axismap.apply_maps(image, maps), maps, True

    def apply_map(self):
        x = normal(self.x.dtype, 3, 7, 5)
        for axis, map in ((1, pool.window_map(7, 3, 2, 1, 4)), (2, pool.adaptive_map(5, 3))):
            yield x, axis, map._forward
            yield map.apply(x, axis), axis, map._backward
        wide = normal(x.dtype, 5, 40)
        yield wide, 1, pool.adaptive_map(40, 30)._forward

    def reflect_2d(self):
        return [(self.x.reshape(6, 4, 25, 11), pads) for pads in
                (((1, 2), (3, 0)), ((0, 0), (10, 10)))]

    replicate_2d = reflect_2d

    def reflect_1d(self):
        return [(self.x.reshape(6, 4, 275), ((5, 7),))]

    replicate_1d = reflect_1d

    def mse_loss(self):
        cube, turned = self.x.reshape(6, 11, 100), self.g.reshape(100, 6, 11).transpose(1, 2, 0)
        return [(self.g, self.x, reduction) for reduction in (0, 1, 2)] + [
            (turned, cube, reduction) for reduction in (1, 2)]

    def smooth_l1_loss(self):
        return [(self.g, self.x, reduction, 0.7) for reduction in (0, 1, 2)]

    huber_loss = smooth_l1_loss

    def mse_slope(self):
        return [(self.g, self.x, g) for g in (self.x.dtype.type(0.3), self.g + 1)]

    def binary_cross_entropy_with_logits_of(self):
        target = (self.g > 0).astype(self.x.dtype)
        return [(self.x * 20, target, None, weight, reduction) for reduction in (0, 1, 2)
                for weight in (None, abs(self.bias))]

    def nll_loss_forward(self):
        """Of rows and of images; with classes that are ignored, and weights."""
        classes = np.arange(len(self.x)) * 7 % self.x.shape[1]
        images, places = self.x.reshape(3, 11, 10, 20), np.arange(600).reshape(3, 10, 20) * 7 % 11
        return [*((self.x, classes, None, reduction, -100) for reduction in (0, 1, 2)),
                *((images, places, weight, reduction, 3) for reduction in (0, 1, 2)
                  for weight in (None, self.bias[:11] + 2))]

    nll_loss2d_forward = nll_loss_forward

    def cross_entropy_of_classes(self):
        rows = self.nll_loss_forward()[1:3]
        return [(x, classes, reduction, -100) for x, classes, _, reduction, _ in rows]

    def cross_entropy_slopes(self):
        scores = self.g[:, :12].copy()
        return [(x, classes, -0.3, ignored)
                for x, classes, ignored in ((self.x[:, :12].copy(), np.arange(6) * 5 % 12, 5),
                                            (scores, np.arange(6), -100))]

    def nll_slopes(self):
        value = np.array(-0.3, self.x.dtype)
        each = self.g.reshape(-1)
        cases = self.nll_loss_forward()
        return [*((*case[:2], -0.3, None, None) for case in cases[:4:3]),
                *((x, classes, value if reduction else each[:classes.size].reshape(classes.shape),
                   weight, None if reduction == 2 > classes.ndim else ignored)
                  for x, classes, weight, reduction, ignored in cases)]

    def bag_sums(self):
        """Of four bags, one of them empty."""
        indices, starts = np.arange(40) * 7 % 25, np.array([0, 11, 11, 30])
        given = starts, np.append(starts[1:], 40), indices, self.x.reshape(-1, 44)[:25].copy()
        return [(np.zeros((4, 44), self.x.dtype), *given, scale, padding) for scale, padding in
                ((None, -1), (None, 14), (normal(self.x.dtype, 40), -1))]

    def bag_maxima(self):
        return [(out, np.full(out.shape, -1), *given, padding)
                for out, *given, _, padding in self.bag_sums()]

    def bag_spread(self):
        bags = np.repeat(np.arange(4), (11, 0, 19, 10))
        return [(normal(self.x.dtype, 4, 44), np.arange(40) * 7 % 25, bags, 25)]

    def ctc_alphas(self):
        """Of three images, with a label twice in a row, and one too long for its steps."""
        log_probs = normal(self.x.dtype, 12, 3, 6)
        log_probs -= np.log(np.exp(log_probs).sum(2, keepdims=True))
        targets, sizes = np.array([[1, 2, 2, 3], [5, 4, 0, 0], [1, 1, 1, 1]]), [4, 2, 4]
        return [(log_probs, *ctc.extended_targets(targets, sizes, 0, log_probs.shape[2]), 0)]

    def ctc_slopes(self):
        (log_probs, labels, lengths, blank), = self.ctc_alphas()
        alpha, ends = ctc.ctc_alphas(log_probs, labels, lengths, blank), np.array([12, 9, 7])
        losses = normal(self.x.dtype, 3)
        return [(log_probs, labels, lengths, ends, losses, alpha, blank)]

    def grid_values(self):
        places = np.arange(3 * 20 * 4).reshape(3, 20, 4) * 7919 % 275
        weight = normal(self.x.dtype, *places.shape)
        return [(self.x.reshape(3, 8, 275), places, weight)]

    def grid_spread(self):
        (x, places, weight), = self.grid_values()
        return [(normal(x.dtype, 3, 8, 20), places, weight, 275)]

    def grid_along(self):
        (x, places, _), = self.grid_values()
        return [(normal(x.dtype, 3, 8, 20), x, places)]

    def grid_sampler_2d_of(self):
        """Places inside and outside, of each kind of interpolation and border."""
        x, grid = 0.2 * normal(self.x.dtype, 3, 2, 7, 9), 0.7 * normal(self.x.dtype, 3, 20, 15, 2)
        grid[1, 2, :3, 0], grid[1, 3, :2] = (np.nan, np.inf, -np.inf), np.nan
        many = normal(self.x.dtype, 11, 1, 5, 4), normal(self.x.dtype, 11, 2, 9, 2)
        return [(x, grid, *modes) for modes in product((0, 1, 2), (0, 1, 2), (False, True))] \
            + [(*many, 0, 0, False), (channels_innermost(x), grid[:, ::2], 0, 0, False)]

    def grid_sampler_3d_of(self):
        x = 0.2 * normal(self.x.dtype, 2, 3, 4, 7, 9)
        grid = 0.7 * normal(self.x.dtype, 2, 6, 5, 10, 3)
        return [(x, grid, *modes) for modes in product((0, 1), (0, 1, 2), (False, True))]

    def grid_sampler_backward(self):
        for x, grid, *modes in [*self.grid_sampler_2d_of(), *self.grid_sampler_3d_of()]:
            g = normal(x.dtype, *x.shape[:2], *grid.shape[1:-1], seed=4)
            yield g, x, grid, *modes, None, (True, True)
        yield from ((g, x, grid, *modes, None, need) for need in ((True, False), (False, True)))

    def native_group_norm_of(self):
        x = self.x.reshape(6, 4, 25, 11)
        turned = self.x.reshape(6, 25, 11, 4).transpose(0, 3, 1, 2)
        return [(x, self.weight[:4], self.bias[:4], 6, 4, 275, 2, 1e-5),
                (x, None, None, 6, 4, 275, 2, 1e-5), (turned, None, None, 6, 4, 275, 2, 1e-5),
                (self.x, self.weight, self.bias, 6, 1100, 1, 20, 1e-5),
                (self.x, None, None, 6, 1100, 1, 1100, 1e-5)]

    def native_group_norm_backward(self):
        g, x = (a.reshape(6, 4, 25, 11) for a in (self.g, self.x))
        rows = x.reshape(6, 2, -1)
        return [(g, x, rows.mean(2), 1 / rows.std(2), self.weight[:4], 6, 4, 275, 2, (1, 1, 1)),
                (g, x, rows.mean(2), 1 / rows.std(2), None, 6, 4, 275, 2, (1, 0, 1))]

    def native_batch_norm_of(self):
        w, b = self.weight[:4], self.bias[:4]
        images = [part(self.x, shape) for shape in ((6, 4, 275), (6, 4, 9), (1650, 4), (70, 4))]
        images.append(channels_innermost(self.x.reshape(6, 4, 25, 11)))
        images += [part(self.x, (6, 4, 1100)), part(self.x, (6600, 4))]
        return [(x, w, b, b.copy(), abs(w), training, 0.1, 1e-5)
                for x in images for training in (True, False)] + [
                    (images[1], None, None, None, None, True, 0.1, 1e-5)]

    def native_batch_norm_backward(self):
        w, b = self.weight[:4], self.bias[:4]
        for shape, axes in (((6, 4, 275), (0, 2)), ((6, 4, 9), (0, 2)), ((1650, 4), 0),
                            ((70, 4), 0), ((6, 4, 25, 11), (0, 2, 3)),
                            ((6, 4, 1100), (0, 2)), ((6600, 4), 0)):
            g, x = part(self.g, shape), part(self.x, shape)
            mean, rstd = x.mean(axes), 1 / x.std(axes)
            x = channels_innermost(x) if x.ndim == 4 else x
            for training in (True, False):
                yield g, x, w, b, abs(w), mean, rstd, training, 1e-5, (1, 1, 1)

    def flash_attention(self):
        for queries, keys, width, causal, mask in (
                (70, 70, 16, True, None), (3, 141, 40, False, None), (130, 9, 5, True, None),
                (70, 40, 16, False, (1, 70, 1)), (5, 40, 16, False, (3, 5, 40)),
                (70, 40, 16, False, (2, 1, 1, 40)), (130, 141, 16, False, "triangle")):
            shapes = (2, queries, 3, width), *[(2, keys, 3, width)] * 2
            q, k, v = (normal(self.x.dtype, *shape, seed=n).swapaxes(1, 2)
                       for n, shape in enumerate(shapes))
            if mask == "triangle":                       # of a single head, which threads share
                mask = np.tri(queries, keys, dtype=bool)
                q, k, v = (a[:1, :1] for a in (q, k, v))
            elif mask is not None:
                mask = normal("f", *mask) > 0 if mask[-1] == 1 else normal(self.x.dtype, *mask)
            yield q, k, v, mask, causal, 0.2

    def attention_of_one(self):
        for keys, width, causal, mask in (
                (70, 16, False, None), (9, 5, True, None), (141, 40, False, (2, 1, 1, 141)),
                (40, 8, False, (1, 40))):
            q, k, v = (normal(self.x.dtype, 2, size, 3, width, seed=n).swapaxes(1, 2)
                       for n, size in enumerate((1, keys, keys)))
            if mask is not None:
                mask = normal(self.x.dtype, *mask) > 0 if len(mask) == 2 else normal("f", *mask)
            yield q, k, v, mask, causal, 0.2

    def flash_attention_backward(self):
        for q, k, v, *where in self.flash_attention():
            g = normal(q.dtype, *q.shape, seed=4)
            yield g, q, k, v, *attention.flash_attention(q, k, v, *where), *where

    def sequences(self, gates):
        """(W_ih x, W_hh, bias, h, outputs, gradient of the outputs, reverse), fresh ones."""
        for steps, batch, size, reverse in ((5, 37, 7, False), (3, 5, 70, True)):
            shapes = ((steps, batch, gates * size), (gates * size, size), (gates * size,),
                      (batch, size), (steps, batch, size), (steps, batch, size))
            yield *(0.2 * normal(self.x.dtype, *shape, seed=k)
                    for k, shape in enumerate(shapes)), reverse

    def lstm_steps(self):
        for a, w, bias, h, out, _, reverse in self.sequences(4):
            yield a, np.stack((out, out)), out, w, bias, h, -h, reverse

    def lstm_steps_backward(self):
        for k, (*given, _) in enumerate(self.lstm_steps()):
            a, cells, out, w, _, h, c = given
            recurrent.lstm_steps(*given, k == 1)
            yield a, cells, None if k else out * h, h, c, w, -h, k == 1

    def gru_steps(self):
        for a, w, bias, h, out, _, reverse in self.sequences(3):
            yield a, np.empty_like(out), out, w, bias, bias[:h.shape[1]], h, reverse

    def gru_steps_backward(self):
        for k, (*given, _) in enumerate(self.gru_steps()):
            a, hidden, out, w, _, _, h = given
            recurrent.gru_steps(*given, k == 1)
            yield a, hidden, None if k else out * h, h.copy(), w, out, h, k == 1

    def rnn_steps(self):
        return [(a, w, bias, h, relu, reverse) for relu in (True, False)
                for a, w, bias, h, _, _, reverse in self.sequences(1)]

    def rnn_steps_backward(self):
        return [(out, g, h, w, relu, reverse) for relu in (True, False)
                for _, w, _, h, out, g, reverse in self.sequences(1)]

    def fused_lstm_cell(self):
        return [(self.g[:, :1096].copy(), self.x[:, :1096], self.x[:, :274])]

    def lstm_cell_slopes(self):
        (a, b, c), = self.fused_lstm_cell()
        work = cells.fused_lstm_cell(a, b, c)[2]
        return [(work, gh, gc, a, b, c) for gh, gc in ((c * c, -c), (None, -c), (c * c, None))]

    def fused_gru_cell(self):
        return [(self.g[:, :822].copy(), self.x[:, :822], self.x[:, :274])]

    def gru_cell_slopes(self):
        (a, b, h), = self.fused_gru_cell()
        return [(cells.fused_gru_cell(a, b, h)[1], h * h, a, b, h)]

    def native_layer_norm_of(self):
        return [(self.x, self.weight, self.bias, (SHAPE[1],), 1e-5),
                (self.x, None, None, SHAPE, 1e-5)]

    def native_layer_norm_backward(self):
        mean, rstd = self.x.mean(1, keepdims=True), 1 / self.x.std(1, keepdims=True)
        return [(self.g, self.x, (SHAPE[1],), mean, rstd, self.weight, self.bias, (1, 1, 1)),
                (self.g, self.x, (SHAPE[1],), mean, rstd, None, None, (1, 0, 0))]

    def softmax_dim(self):
        return [(self.x, 1), (self.x, 0), (self.x.reshape(6, 4, 275), 1),
                (self.x.reshape(-1, 11), 1)]

    log_softmax_dim = softmax_dim

    def logsumexp(self):
        far = self.x.copy()
        far[:, 0], far[0], far[1, 1], far[:, 2] = -np.inf, -np.inf, np.inf, 100
        return [(x, (d,), keepdim) for x in (self.x, far) for d in (0, 1)
                for keepdim in (False, True)] + [(self.x.reshape(6, 4, 275), (1,), False)] + [
                    (x.reshape(-1, 11), (1,), False) for x in (self.x, far)]

    def softmax_backward(self):
        share = np.exp(self.x)
        shares = [(share / share.sum(dim, keepdims=True), dim) for dim in (1, 0)]
        y = share.reshape(6, 4, 275)
        return [*((self.g, *given) for given in shares),
                (self.g.reshape(y.shape), y / y.sum(1, keepdims=True), 1)]

    def log_softmax_backward(self):
        return [(g, np.log(y), dim) for g, y, dim in self.softmax_backward()]

    def bfloat16_product(self):
        """For processors that multiply pairs of bfloat16."""
        if bfloat16 is None or not ADDS_PAIRS or self.x.dtype.char != "f":
            return []
        a, b, bias = (normal("float32", *shape) for shape in ((130, 260), (260, 131), (131,)))
        even, odd = (tuple([x.astype(bfloat16) for x in pair])
                     for pair in ((a, b), (a[:, 1:], b[1:])))
        return [(*even, bias), odd, tuple(map(np.asfortranarray, even)),
                tuple(map(np.asfortranarray, odd)),
                tuple([np.stack([x, x[::-1], -x]) for x in even])]
