"""Training steps of several kinds, written once for PyTorch's API and measured under either.

python benchmarks/workloads.py NAME BACKEND      BACKEND: torch or retrograd

A workload takes the module `torch` and returns its step: a function without arguments that does
one iteration and returns a scalar tensor. The command prints one JSON object; compare.py reads it.
"""

from __future__ import annotations

import argparse
import importlib
import json
import resource
import statistics
import time

import language  # noqa: F401  (adds its workloads to the registry)
import nets  # noqa: F401
import science  # noqa: F401
import small  # noqa: F401
import vision  # noqa: F401
from registry import WORKLOADS, minimise, workload


@workload
def chain_small(torch):
    """40 elementwise operators on 8 numbers: what recording and walking a node costs."""
    x = torch.linspace(-1, 1, 8, requires_grad=True)

    def step():
        x.grad = None
        y = x
        for _ in range(20):
            y = y * 1.01 + 0.1
        total = y.sum()
        total.backward()
        return total

    return step


@workload
def seed_net(torch):
    """One linear unit and SGD on 8 rows, the loop of many a tutorial."""
    torch.manual_seed(0)
    model = torch.nn.Linear(5, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = torch.randn(8, 5), torch.randn(8, 1)
    return minimise(model, optimizer, lambda m: ((m(x) - y) ** 2).mean())


def classifier(torch, widths, batch, make_optimizer):
    torch.manual_seed(0)
    layers = [torch.nn.Linear(widths[0], widths[1])]
    for before, after in zip(widths[1:], widths[2:], strict=False):
        layers += [torch.nn.ReLU(), torch.nn.Linear(before, after)]
    model = torch.nn.Sequential(*layers)
    x, y = torch.randn(batch, widths[0]), torch.randint(0, widths[-1], (batch,))
    loss_of = torch.nn.functional.cross_entropy
    return minimise(model, make_optimizer(model.parameters()), lambda m: loss_of(m(x), y))


@workload
def mlp_tiny(torch):
    """64-32-10, batch 32, SGD with momentum: about the size of the digits example."""
    return classifier(torch, [64, 32, 10], 32, lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9))


@workload
def mlp_mnist(torch):
    """784-512-512-10, batch 128, Adam: matrix products and optimizer in balance."""
    return classifier(torch, [784, 512, 512, 10], 128, lambda p: torch.optim.Adam(p, lr=1e-3))


@workload
def jacobian(torch):
    """The full 30x30 Jacobian of a small map by 30 backward passes."""
    torch.manual_seed(0)
    weight, x = torch.randn(30, 30) / 6, torch.randn(30)
    functional = importlib.import_module(f"{torch.__name__}.autograd.functional")

    def step():
        return functional.jacobian(lambda z: torch.tanh(weight @ z) + z**2, x).sum()

    return step


@workload
def deep_graph(torch):
    """A chain of 20,000 additions: what a node costs at depth."""
    x = torch.ones((), requires_grad=True)

    def step():
        x.grad = None
        y = x
        for _ in range(20_000):
            y = y + x
        y.backward()
        return y

    return step


@workload
def gpt(torch):
    """A transformer of 4 blocks, 128 wide with 4 heads, on 8 x 64 tokens, AdamW."""
    torch.manual_seed(0)
    nn, F = torch.nn, torch.nn.functional
    batch, length, width, heads, blocks, tokens = 8, 64, 128, 4, 4, 65

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm_in, self.norm_out = nn.LayerNorm(width), nn.LayerNorm(width)
            self.project, self.gather = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.widen, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def attend(self, x):
            parts = self.project(x).split(width, dim=2)
            query, key, value = (  # (B, T, C) -> (B, heads, T, C / heads)
                part.view(batch, length, heads, width // heads).transpose(1, 2) for part in parts
            )
            mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True)
            return self.gather(mixed.transpose(1, 2).reshape(batch, length, width))

        def forward(self, x):
            x = x + self.attend(self.norm_in(x))
            return x + self.narrow(F.gelu(self.widen(self.norm_out(x))))

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.token, self.place = nn.Embedding(tokens, width), nn.Embedding(length, width)
            self.blocks = nn.Sequential(*(Block() for _ in range(blocks)))
            self.norm, self.score = nn.LayerNorm(width), nn.Linear(width, tokens, bias=False)

        def forward(self, text):
            x = self.token(text) + self.place(torch.arange(length))
            return self.score(self.norm(self.blocks(x)))

    model = Model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    text = torch.randint(0, tokens, (batch, length + 1))
    before, after = text[:, :-1], text[:, 1:].reshape(-1)
    return minimise(model, optimizer, lambda m: F.cross_entropy(m(before).view(-1, tokens), after))


@workload
def lenet(torch):
    """Two convolutions with pooling and batch norm on 64 images of 28x28."""
    torch.manual_seed(0)
    nn, F = torch.nn, torch.nn.functional
    model = nn.Sequential(
        *(nn.Conv2d(1, 16, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(16, 32, 5, padding=2), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Flatten(), nn.Linear(32 * 7 * 7, 128), nn.ReLU(), nn.Linear(128, 10)),
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    images, classes = torch.randn(64, 1, 28, 28), torch.randint(0, 10, (64,))
    return minimise(model, optimizer, lambda m: F.cross_entropy(m(images), classes))


@workload
def elementwise_1m(torch):
    """An expression of ten elementwise operators on a million numbers: memory traffic."""
    torch.manual_seed(0)
    x = torch.randn(1000, 1000, requires_grad=True)
    scale = torch.randn(1000, requires_grad=True)

    def step():
        x.grad = scale.grad = None
        y = torch.sigmoid(x * scale) * torch.tanh(x) + torch.exp(-x * x) - 0.5 * x
        loss = (y * y).mean()
        loss.backward()
        return loss

    return step


@workload
def softmax_norm_1m(torch):
    """layer_norm, gelu and softmax on a million numbers: reductions over rows."""
    torch.manual_seed(0)
    F = torch.nn.functional
    x = torch.randn(1024, 1024, requires_grad=True)
    weight = torch.ones(1024, requires_grad=True)
    bias = torch.zeros(1024, requires_grad=True)

    def step():
        x.grad = weight.grad = bias.grad = None
        loss = F.softmax(F.gelu(F.layer_norm(x, (1024,), weight, bias)), dim=-1).pow(2).sum()
        loss.backward()
        return loss

    return step


def measure(name: str, backend: str, seconds: float, threads: int) -> dict:
    """Times of a step of one workload in this process, warmed up for half of `seconds`."""
    started = time.perf_counter()
    torch = importlib.import_module(backend)
    imported = time.perf_counter()
    torch.set_num_threads(threads)
    step = WORKLOADS[name](torch)
    value = float(step().detach())
    first = time.perf_counter()

    def steps_for(limit):
        count, begin = 0, time.perf_counter()
        while count < 3 or time.perf_counter() - begin < limit:
            step()
            count += 1
        return (time.perf_counter() - begin) / count

    chunk = max(1, int(0.02 / steps_for(seconds / 2)))
    times, end = [], time.perf_counter() + seconds
    while len(times) < 5 or time.perf_counter() < end:
        begin = time.perf_counter()
        for _ in range(chunk):
            step()
        times.append((time.perf_counter() - begin) / chunk)
    return {
        "value": value,
        "step": statistics.median(times),
        "import": imported - started,
        "first_step": first - imported,
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=WORKLOADS)
    parser.add_argument("backend", choices=["torch", "retrograd"])
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    print(json.dumps(measure(options.name, options.backend, options.seconds, options.threads)))


if __name__ == "__main__":
    main()
