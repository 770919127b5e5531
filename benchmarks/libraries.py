"""Single operators and their gradients beside those of other libraries that are installed.

python benchmarks/libraries.py [NAME ...] [--sizes 1e2,1e4,1e6,1e7] [--threads 2]

Columns are retrograd's time in microseconds, and that time over the time of PyTorch, of JAX (called
operator by operator, and compiled by jax.jit), of HIPS autograd and of tinygrad; below 1 retrograd
takes less. All run in one process, by turns, by the clock; each number is of the least of the
rounds. A gradient includes the forward pass that it needs; the gradient of the result is all ones.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import math
import os
import shutil
import time

import numpy as np

ROW = 100            # what has rows sees (n / ROW, ROW)


def softmax(np, x):
    e = np.exp(x - np.max(x, 1, keepdims=True))
    return e / np.sum(e, 1, keepdims=True)


def logsumexp(np, x):
    top = np.max(x, 1, keepdims=True)
    return np.log(np.sum(np.exp(x - top), 1)) + top[:, 0]


# Name: how many arrays, the operator as a function of NumPy's namespace, and as one of Tensors.
OPERATORS = {
    "add": (2, lambda np, x, y: x + y, lambda x, y: x + y),
    "mul": (2, lambda np, x, y: x * y, lambda x, y: x * y),
    "div": (2, lambda np, x, y: x / y, lambda x, y: x / y),
    "exp": (1, lambda np, x: np.exp(x), lambda x: x.exp()),
    "sin": (1, lambda np, x: np.sin(x), lambda x: x.sin()),
    "tanh": (1, lambda np, x: np.tanh(x), lambda x: x.tanh()),
    "sigmoid": (1, lambda np, x: 1 / (1 + np.exp(-x)), lambda x: x.sigmoid()),
    "relu": (1, lambda np, x: np.maximum(x, 0), lambda x: x.relu()),
    "sum": (1, lambda np, x: np.sum(x), lambda x: x.sum()),
    "sum rows": (1, lambda np, x: np.sum(x, 1), lambda x: x.sum(1)),
    "max rows": (1, lambda np, x: np.max(x, 1), lambda x: x.amax(1) if hasattr(x, "amax")
                 else x.max(1)),
    "softmax": (1, softmax, lambda x: x.softmax(1)),
    "logsumexp": (1, logsumexp, lambda x: x.logsumexp(1)),
    "matmul": (2, lambda np, x, y: x @ y[:ROW], lambda x, y: x @ y[:ROW]),
}


# Each of these makes (forward, gradient), functions without arguments, of an operator and arrays.

def of_torch(torch):
    def runs(operator, arrays):
        _, _, f = operator
        inputs = [torch.tensor(a, requires_grad=True) for a in arrays]
        ones = torch.ones(())

        def forward():
            with torch.no_grad():
                return f(*inputs)

        def gradient():
            for x in inputs:
                x.grad = None
            y = f(*inputs)
            y.backward(ones.expand(y.shape))
        return forward, gradient
    return runs


def of_jax(compiled):
    import jax

    def runs(operator, arrays):
        _, f, _ = operator
        inputs = [jax.numpy.asarray(a) for a in arrays]

        def value(*xs):
            return f(jax.numpy, *xs)

        def pulled(*xs):
            y, pull = jax.vjp(value, *xs)
            return pull(jax.numpy.ones_like(y))
        if compiled:
            value, pulled = jax.jit(value), jax.jit(pulled)
        return (lambda: jax.block_until_ready(value(*inputs)),
                lambda: jax.block_until_ready(pulled(*inputs)))
    return runs


def of_autograd():
    import autograd.numpy
    from autograd import make_vjp

    def runs(operator, arrays):
        _, f, _ = operator

        def value(xs):
            return f(autograd.numpy, *xs)

        def gradient():
            pull, y = make_vjp(value)(tuple(arrays))
            pull(np.ones_like(y))
        return lambda: value(arrays), gradient
    return runs


def of_tinygrad():
    from tinygrad import Tensor

    def runs(operator, arrays):
        _, _, f = operator
        inputs = [Tensor(a).realize() for a in arrays]
        return (lambda: f(*inputs).realize().numpy(),
                lambda: [g.realize().numpy() for g in f(*inputs).sum().gradient(*inputs)])
    return runs


def installed(threads):
    """The libraries that are there: {name: runs}."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    libraries = {}
    for name in "retrograd", "torch":
        torch = importlib.import_module(name)
        torch.set_num_threads(threads)
        libraries[name] = of_torch(torch)
    if importlib.util.find_spec("jax"):
        libraries |= {"jax": of_jax(False), "jax.jit": of_jax(True)}
    if importlib.util.find_spec("autograd"):
        libraries["autograd"] = of_autograd()
    if importlib.util.find_spec("tinygrad") and shutil.which("clang"):
        libraries["tinygrad"] = of_tinygrad()
    return libraries


def least_times(runs, seconds):
    """The least time of each run, by turns of a millisecond."""
    counts, least = [], [math.inf] * len(runs)
    for run in runs:
        run()                                    # compiles, where something is compiled
        counts.append(max(1, int(1e-3 / min(timed(run, 1) for _ in range(5)))))
    end = time.perf_counter() + seconds * len(runs)
    rounds = 0
    while rounds < 5 or time.perf_counter() < end:
        rounds += 1
        for k, (run, count) in enumerate(zip(runs, counts, strict=True)):
            run()                                # what it needs is in the cache again
            least[k] = min(least[k], timed(run, count))
    return least


def timed(run, count):
    """The time of one of `count` runs."""
    begin = time.perf_counter()
    for _ in range(count):
        run()
    return (time.perf_counter() - begin) / count


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(OPERATORS))
    parser.add_argument("--sizes", default="1e2,1e4,1e6,1e7")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=0.2)
    options = parser.parse_args()
    libraries = installed(options.threads)
    others = list(libraries)[1:]
    print("| operator | numbers |" + "".join(
        f" {kind}, us | " + " | ".join(others) + " |" for kind in ("forward", "gradient")))
    print("|---|---|" + "---|" * 2 * len(libraries))
    for name in options.names or OPERATORS:
        operator = OPERATORS[name]
        for n in [int(float(n)) for n in options.sizes.split(",")]:
            random = np.random.default_rng(0)
            arrays = [random.standard_normal((max(n // ROW, 1), ROW), dtype=np.float32)
                      for _ in range(operator[0])]
            if name == "matmul":
                arrays[1] = random.standard_normal((ROW, ROW), dtype=np.float32)
            cells = []
            for runs in zip(*[make(operator, arrays) for make in libraries.values()], strict=True):
                ours, *rest = least_times(runs, options.seconds)
                cells += [f"{ours * 1e6:,.1f}", *[f"{ours / t:.2f}" for t in rest]]
            print(f"| {name} | {n:.0e} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
