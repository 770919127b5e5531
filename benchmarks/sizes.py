"""Single operators at several sizes, forward and backward: retrograd's time over PyTorch's.

python benchmarks/sizes.py [NAME ...] [--sizes 1e2,1e4,1e6,1e7] [--threads 2]

Both libraries run in one process, by turns; each number is the ratio of the least times of the
rounds. Backward includes the forward pass that it needs. Below 1: retrograd takes less time. With
--threads 1 the clock is the thread's own, which counts what this process computes, whatever else
the machine does meanwhile. operators.py has many more operators, at one size.
"""

from __future__ import annotations

import argparse
import importlib
import time

ROW = 100            # operators over rows and columns see (n / ROW, ROW)


def matrix(torch, n, seed=0):
    torch.manual_seed(seed)
    return torch.randn(max(n // ROW, 1), ROW)


def unary(call):
    """A function of one tensor of normal numbers."""
    return lambda torch, n: ([matrix(torch, n)], lambda x: call(torch, x))


def positive(call):
    return lambda torch, n: ([matrix(torch, n).abs() + 0.1], lambda x: call(torch, x))


def within_1(call):
    return lambda torch, n: ([torch.tanh(matrix(torch, n))], lambda x: call(torch, x))


def binary(call):
    return lambda torch, n: ([matrix(torch, n), matrix(torch, n, 1)],
                             lambda x, y: call(torch, x, y))


def with_row(call):
    return lambda torch, n: ([matrix(torch, n), matrix(torch, ROW, 1)[0]],
                             lambda x, y: call(torch, x, y))


def normalised(torch, n):
    F = torch.nn.functional
    return ([matrix(torch, n), torch.ones(ROW), torch.zeros(ROW)],
            lambda x, w, b: F.layer_norm(x, (ROW,), w, b))


def images(torch, n):
    torch.manual_seed(0)
    return torch.randn(max(n // 1600, 1), 16, 10, 10)


def batch_normalised(torch, n):
    F = torch.nn.functional
    return ([images(torch, n), torch.ones(16), torch.zeros(16)],
            lambda x, w, b: F.batch_norm(x, None, None, w, b, True))


def group_normalised(torch, n):
    F = torch.nn.functional
    return ([images(torch, n), torch.ones(16), torch.zeros(16)],
            lambda x, w, b: F.group_norm(x, 4, w, b))


def classified(torch, n):
    target = torch.arange(max(n // ROW, 1)) % ROW
    return [matrix(torch, n)], lambda x: torch.nn.functional.cross_entropy(x, target)


def embedded(torch, n):
    index = torch.arange(max(n // ROW, 1)) * 7 % 1000
    return [torch.randn(1000, ROW)], lambda w: torch.nn.functional.embedding(index, w)


def gathered(torch, n):
    index = (torch.arange(n) * 7 % ROW).view(-1, ROW) if n >= ROW else None
    return [matrix(torch, n)], lambda x: x.gather(1, index)


def rows_added(torch, n):
    index = torch.arange(max(n // ROW, 1)) * 7 % 1000
    return [torch.zeros(1000, ROW), matrix(torch, n)], lambda x, y: x.index_add(0, index, y)


def sort_of(torch, n):
    return [matrix(torch, n)], lambda x: x.sort(-1)[0]


OPERATORS = {
    "add": binary(lambda torch, x, y: x + y),
    "add row": with_row(lambda torch, x, y: x + y),
    "mul": binary(lambda torch, x, y: x * y),
    "mul number": unary(lambda torch, x: x * 1.5),
    "div": binary(lambda torch, x, y: x / y),
    "remainder": binary(lambda torch, x, y: x % y),
    "pow 2": unary(lambda torch, x: x**2),
    "pow 2.5": positive(lambda torch, x: x**2.5),
    "maximum": binary(lambda torch, x, y: torch.maximum(x, y)),
    "where": binary(lambda torch, x, y: torch.where(x > 0, x, y)),
    "clamp": unary(lambda torch, x: x.clamp(-1, 1)),
    "abs": unary(lambda torch, x: x.abs()),
    "sqrt": positive(lambda torch, x: x.sqrt()),
    "exp": unary(lambda torch, x: x.exp()),
    "log": positive(lambda torch, x: x.log()),
    "sin": unary(lambda torch, x: x.sin()),
    "tanh": unary(lambda torch, x: x.tanh()),
    "sigmoid": unary(lambda torch, x: x.sigmoid()),
    "erf": unary(lambda torch, x: torch.erf(x)),
    "erfinv": within_1(lambda torch, x: torch.erfinv(x)),
    "lgamma": positive(lambda torch, x: torch.lgamma(x)),
    "relu": unary(lambda torch, x: x.relu()),
    "leaky_relu": unary(lambda torch, x: torch.nn.functional.leaky_relu(x)),
    "elu": unary(lambda torch, x: torch.nn.functional.elu(x)),
    "silu": unary(lambda torch, x: torch.nn.functional.silu(x)),
    "gelu": unary(lambda torch, x: torch.nn.functional.gelu(x)),
    "softplus": unary(lambda torch, x: torch.nn.functional.softplus(x)),
    "dropout": unary(lambda torch, x: torch.nn.functional.dropout(x)),
    "sum": unary(lambda torch, x: x.sum()),
    "sum rows": unary(lambda torch, x: x.sum(1)),
    "sum columns": unary(lambda torch, x: x.sum(0)),
    "mean": unary(lambda torch, x: x.mean()),
    "var": unary(lambda torch, x: x.var(1)),
    "prod": unary(lambda torch, x: x.prod(1)),
    "max": unary(lambda torch, x: x.max(1)[0]),
    "norm": unary(lambda torch, x: x.norm()),
    "logsumexp": unary(lambda torch, x: torch.logsumexp(x, 1)),
    "cumsum": unary(lambda torch, x: x.cumsum(1)),
    "softmax": unary(lambda torch, x: x.softmax(1)),
    "log_softmax": unary(lambda torch, x: x.log_softmax(1)),
    "cross_entropy": classified,
    "mse_loss": binary(lambda torch, x, y: torch.nn.functional.mse_loss(x, y)),
    "layer_norm": normalised,
    "batch_norm": batch_normalised,
    "group_norm": group_normalised,
    "embedding": embedded,
    "gather": gathered,
    "index_add": rows_added,
    "transpose": unary(lambda torch, x: x.t().contiguous()),
    "cat": binary(lambda torch, x, y: torch.cat([x, y])),
    "sort": sort_of,
    "randn": lambda torch, n: ([], lambda: torch.randn(n)),
}


def forward(torch, inputs, call):
    with torch.no_grad():
        return call(*inputs)


def backward(torch, inputs, call):
    for x in inputs:
        x.grad = None
    y = call(*inputs)
    y.backward(torch.ones(()).expand(y.shape))


def ratio(libraries, build, n, run, seconds, clock):
    """The least time of retrograd over the least time of PyTorch, by turns for `seconds`."""
    sides = []
    for torch in libraries:
        inputs, call = build(torch, n)
        inputs = [x.detach().requires_grad_() for x in inputs]
        if run is backward and not inputs:
            return None
        run(torch, inputs, call)
        begin = clock()
        run(torch, inputs, call)
        times = max(1, int(1e-4 / max(clock() - begin, 1e-6)))
        sides.append((torch, inputs, call, times))
    least, end = [1e9, 1e9], time.perf_counter() + seconds
    rounds = 0
    while rounds < 5 or time.perf_counter() < end:
        rounds += 1
        for k, (torch, inputs, call, times) in enumerate(sides):
            begin = clock()
            for _ in range(times):
                run(torch, inputs, call)
            least[k] = min(least[k], (clock() - begin) / times)
    return least[0] / least[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(OPERATORS))
    parser.add_argument("--sizes", default="1e2,1e4,1e6,1e7")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=0.3)
    options = parser.parse_args()
    libraries = [importlib.import_module(name) for name in ("retrograd", "torch")]
    for torch in libraries:
        torch.set_num_threads(options.threads)
    clock = time.perf_counter if options.threads > 1 else time.thread_time
    sizes = [int(float(n)) for n in options.sizes.split(",")]
    print("| operator |" + "".join(f" {n:.0e} |" * 2 for n in sizes))
    print("|---|" + "---|---|" * len(sizes))
    for name in options.names or OPERATORS:
        cells = []
        for n in sizes:
            for run in forward, backward:
                value = ratio(libraries, OPERATORS[name], n, run, options.seconds, clock)
                cells.append("" if value is None else f"{value:.2f}")
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
