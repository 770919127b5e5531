"""Arguments for every twin, of a given dtype: `retrograd warmup` and the tests call with them."""

from __future__ import annotations

import numpy as np

from . import TWINS, twin

SHAPE = (6, 1100)          # rows of more than one block: see rows.py


def normal(dtype, *shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


class Calls:
    """The argument lists on which each twin is tried, by its name."""

    def __init__(self, dtype):
        self.g, self.x = normal(dtype, *SHAPE, seed=1), normal(dtype, *SHAPE)
        self.weight, self.bias = normal(dtype, SHAPE[1], seed=2), normal(dtype, SHAPE[1], seed=3)

    def __getitem__(self, name):
        given = getattr(self, name.replace(".", "_"), None)
        if given is not None:
            return given()
        one = (self.x,)
        return [one] if name in ONE_ARRAY else [(self.g, self.x)]

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

    def native_layer_norm_of(self):
        return [(self.x, self.weight, self.bias, (SHAPE[1],), 1e-5),
                (self.x, None, None, SHAPE, 1e-5)]

    def native_layer_norm_backward(self):
        mean, rstd = self.x.mean(1, keepdims=True), 1 / self.x.std(1, keepdims=True)
        return [(self.g, self.x, (SHAPE[1],), mean, rstd, self.weight, self.bias, (1, 1, 1)),
                (self.g, self.x, (SHAPE[1],), mean, rstd, None, None, (1, 0, 0))]

    def softmax_dim(self):
        return [(self.x, 1)]

    log_softmax_dim = softmax_dim

    def softmax_backward(self):
        share = np.exp(self.x)
        return [(self.g, share / share.sum(1, keepdims=True), 1)]

    def log_softmax_backward(self):
        return [(self.g, np.log(y), dim) for _, y, dim in self.softmax_backward()]


ONE_ARRAY = ("exp", "tanh", "sigmoid", "silu", "relu")


def warm_up(dtypes=("float32", "float64")) -> int:
    """Compile every twin for these dtypes, or load it; how many there are."""
    for dtype in dtypes:
        calls = Calls(dtype)
        for name in TWINS:
            for args in calls[name]:
                twin(name)(*args)
    return len(TWINS)
