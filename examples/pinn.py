"""A network solves the heat equation from the equation alone; writes pinn.png beside the exact one.

python examples/pinn.py                    under PyTorch
retrograd run examples/pinn.py             under retrograd: the same numbers, the same picture

u_t = A u_xx on 0 < x < 1, u = 0 at both ends, u(x, 0) = sin(pi x) + sin(3 pi x) / 2. The loss is
how far the network's own derivatives, first and second, are from the equation (Raissi, Perdikaris,
Karniadakis, "Physics-informed neural networks", 2019). The picture needs matplotlib.
"""

import argparse
import math
import time

import torch
from torch import nn

try:
    from tqdm import tqdm
except ImportError:

    def tqdm(items, **options):
        return items


A, WIDTH, POINTS, STEPS = 0.1, 48, 256, 2000


class Solution(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(2, WIDTH), nn.Tanh(), nn.Linear(WIDTH, WIDTH), nn.Tanh(), nn.Linear(WIDTH, 1)
        )

    def forward(self, x, t):
        free = self.net(torch.cat([x, t], dim=1))  # (N, 1), (N, 1) -> (N, 1)
        return start(x) + t * x * (1 - x) * free  # right at the ends and at the beginning


def start(x):
    return torch.sin(math.pi * x) + torch.sin(3 * math.pi * x) / 2


def exact(x, t):
    slow = torch.exp(-A * math.pi**2 * t) * torch.sin(math.pi * x)
    return slow + torch.exp(-9 * A * math.pi**2 * t) * torch.sin(3 * math.pi * x) / 2


def derivative(u, x):
    return torch.autograd.grad(u, x, torch.ones_like(u), create_graph=True)[0]


def loss_of(model):
    """The mean square of u_t - A u_xx at random points."""
    x = torch.rand(POINTS, 1, requires_grad=True)
    t = torch.rand(POINTS, 1, requires_grad=True)
    u = model(x, t)
    return (derivative(u, t) - A * derivative(derivative(u, x), x)).pow(2).mean()


def on_grid(model):
    """Where, what the network says there, and what is true: all (64, 64)."""
    side = torch.linspace(0, 1, 64)
    x, t = torch.meshgrid(side, side, indexing="ij")
    with torch.no_grad():
        u = model(x.reshape(-1, 1), t.reshape(-1, 1)).view(64, 64)
    return side, u, exact(x, t)


def draw(side, u, true, path):
    try:
        from matplotlib import pyplot
    except ImportError:
        print("no picture: matplotlib is not installed")
        return
    figure, axes = pyplot.subplots(1, 4, figsize=(15, 3.5))
    shown = (("network", u), ("exact", true), ("difference", u - true))
    for axis, (title, values) in zip(axes[:3], shown, strict=True):
        image = axis.imshow(values.numpy(), origin="lower", extent=(0, 1, 0, 1), aspect="auto")
        axis.set(title=title, xlabel="t", ylabel="x")
        figure.colorbar(image, ax=axis)
    for column in (0, 16, 63):
        axes[3].plot(side.numpy(), true[:, column].numpy(), "k", lw=1)
        axes[3].plot(side.numpy(), u[:, column].numpy(), "--", label=f"t = {side[column]:.2f}")
    axes[3].set(title="u at three times; exact in black", xlabel="x")
    axes[3].legend()
    figure.tight_layout()
    figure.savefig(path, dpi=100)
    pyplot.close(figure)


def main(steps=STEPS, picture=None):
    """Train for `steps`; return the loss of each."""
    torch.manual_seed(0)
    model = Solution()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, STEPS)

    losses = []
    begin = time.perf_counter()
    for step in tqdm(range(steps), desc="pinn", unit="step"):
        loss = loss_of(model)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
        if step % 500 == 499:
            print(f"step {step + 1}: loss {sum(losses[-100:]) / 100:.5f}")
    side, u, true = on_grid(model)
    if steps == STEPS:
        print(f"{steps} steps in {time.perf_counter() - begin:.1f} s")
        print(f"largest error {(u - true).abs().max():.4f}")
    if picture:
        draw(side, u, true, picture)
    return losses


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--picture", default="pinn.png")
    options = parser.parse_args()
    main(options.steps, options.picture)
