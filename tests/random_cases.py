"""Mixed sequences of random calls; record/random_kernels.py has PyTorch make them."""

from __future__ import annotations

import random

import numpy as np

FLOATS = ["float32", "float64", "float16", "bfloat16"]
INTS = ["int64", "int32", "int16", "int8", "uint8"]
SIZES = [(), (0,), (1,), (3,), (15,), (16,), (17,), (5, 7), (100,)]


def sequence(seed: int, length: int = 40) -> list[dict]:
    """A list of calls: the kernel's name and its arguments."""
    rng = random.Random(seed)
    return [_call(rng) for _ in range(length)]


def _call(rng):
    shape, dtype = rng.choice(SIZES), rng.choice(FLOATS)
    low = rng.uniform(-3, 3)
    p = rng.uniform(0.05, 0.95)
    wide = 2 ** rng.randint(2, 62)
    weights = np.random.default_rng(rng.randrange(2**32)).random(rng.choice([(5,), (3, 9)]))
    rates = np.random.default_rng(rng.randrange(2**32)).random(shape) * rng.choice([1, 30])
    rates = np.asarray(rates, rng.choice(FLOATS[:2]))
    return rng.choice(
        [
            dict(name="uniform", shape=shape, dtype=dtype),
            dict(name="uniform", shape=shape, dtype=dtype, low=low, high=low + 2.5),
            dict(name="uniform", shape=shape, dtype=rng.choice(["complex64", "complex128"])),
            dict(name="normal", shape=shape, dtype=dtype),
            dict(name="normal", shape=shape, dtype=dtype, mean=low, std=p),
            dict(name="normal", shape=shape, dtype=rng.choice(["complex64", "complex128"])),
            dict(name="log_normal", shape=shape, dtype=dtype, mean=low, std=p),
            dict(name="integers", shape=shape, dtype="int64", low=-wide, high=wide),
            dict(name="integers", shape=shape, dtype=rng.choice(INTS), low=0, high=100),
            dict(name="any_integer", shape=shape, dtype=rng.choice([*INTS, "bool", *FLOATS])),
            dict(name="permutation", n=rng.choice([0, 1, 2, 30])),
            dict(name="bernoulli", shape=shape, p=p),
            dict(name="bernoulli", shape=weights.shape, p=weights.astype(rng.choice(FLOATS[:2]))),
            dict(name="exponential", shape=shape, dtype=dtype, rate=p),
            dict(name="geometric", shape=shape, dtype=rng.choice([*FLOATS, "int64"]), p=p),
            dict(name="cauchy", shape=shape, dtype=dtype, median=low, sigma=p),
            dict(name="multinomial", probs=weights, num_samples=4, replacement=rng.random() < 0.5),
            dict(name="multinomial", probs=weights.astype("f4"), num_samples=1, replacement=True),
            dict(name="poisson", rate=rates),
            dict(name="standard_gamma", alpha=rates),
            dict(name="binomial", count=np.floor(weights * 60), prob=weights),
        ]
    )
