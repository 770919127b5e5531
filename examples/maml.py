"""A network learns to learn: any sine wave from ten points, in a few steps; writes maml.png.

python examples/maml.py                    under PyTorch
retrograd run examples/maml.py             under retrograd: the same numbers, the same picture

Finn, Abbeel, Levine, "Model-Agnostic Meta-Learning" (2017): a step of gradient descent is made
with create_graph=True, so that the loss after it can be differentiated through it. The picture
needs matplotlib.
"""

import argparse
import math
import time

import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call

try:
    from tqdm import tqdm
except ImportError:

    def tqdm(items, **options):
        return items


HIDDEN, POINTS, TASKS, INNER_RATE, STEPS = 40, 10, 8, 0.02, 800


def new_task():
    """A sine wave of its own height and place, as a function that draws points of it."""
    height, place = 0.1 + 4.9 * torch.rand(1), math.pi * torch.rand(1)

    def wave(x):
        return height * torch.sin(x + place)

    return wave


def draw_points(wave):
    x = 10 * torch.rand(POINTS, 1) - 5
    return x, wave(x)


def adapt(net, parameters, x, y, steps, create_graph):
    """The parameters after `steps` of gradient descent on (x, y); part of the graph if wanted."""
    for _ in range(steps):
        loss = F.mse_loss(functional_call(net, parameters, (x,)), y)
        grads = torch.autograd.grad(loss, list(parameters.values()), create_graph=create_graph)
        parameters = {
            name: value - INNER_RATE * grad
            for (name, value), grad in zip(parameters.items(), grads, strict=True)
        }
    return parameters


def draw(net, path):
    try:
        from matplotlib import pyplot
    except ImportError:
        print("no picture: matplotlib is not installed")
        return
    figure, axes = pyplot.subplots(1, 3, figsize=(13, 3.5))
    line = torch.linspace(-5, 5, 200).unsqueeze(1)
    for axis in axes:
        wave = new_task()
        x, y = draw_points(wave)
        axis.plot(line.numpy(), wave(line).numpy(), "k", lw=1, label="wave")
        axis.plot(x.numpy(), y.numpy(), "ko", ms=4, label="seen")
        for steps in (0, 1, 10):
            learned = adapt(net, dict(net.named_parameters()), x, y, steps, False)
            guess = functional_call(net, learned, (line,)).detach()
            axis.plot(line.numpy(), guess.numpy(), "--", label=f"after {steps} steps")
        axis.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(path, dpi=100)
    pyplot.close(figure)


def main(steps=STEPS, picture=None):
    """Train for `steps`; return the loss after adapting, averaged over each step's tasks."""
    torch.manual_seed(0)
    net = nn.Sequential(
        nn.Linear(1, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 1)
    )
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)

    losses = []
    start = time.perf_counter()
    for step in tqdm(range(steps), desc="maml", unit="step"):
        total = 0.0
        for _ in range(TASKS):
            wave = new_task()
            learned = adapt(net, dict(net.named_parameters()), *draw_points(wave), 1, True)
            x, y = draw_points(wave)
            total = total + F.mse_loss(functional_call(net, learned, (x,)), y) / TASKS
        optimizer.zero_grad()
        total.backward()
        optimizer.step()
        losses.append(total.item())
        if step % 200 == 199:
            print(f"step {step + 1}: loss after adapting {sum(losses[-100:]) / 100:.4f}")
    if steps == STEPS:
        print(f"{steps} steps in {time.perf_counter() - start:.1f} s")
    if picture:
        draw(net, picture)
    return losses


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--picture", default="maml.png")
    options = parser.parse_args()
    torch.set_default_dtype(torch.float64)  # so that rounding does not show in the last digits
    main(options.steps, options.picture)
