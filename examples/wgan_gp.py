"""A GAN learns to scatter points over a ring of eight heaps; writes wgan_gp.png.

python examples/wgan_gp.py                 under PyTorch
retrograd run examples/wgan_gp.py          under retrograd: the same numbers, the same picture

Gulrajani et al., "Improved Training of Wasserstein GANs" (2017): the critic's gradient with
respect to its input is held near length 1, so its loss holds a gradient and is differentiated
again. The picture needs matplotlib.
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


NOISE, HIDDEN, BATCH, CRITIC_STEPS, PENALTY, STEPS = 4, 64, 128, 3, 0.5, 1500


def network(inputs, outputs):
    return nn.Sequential(
        nn.Linear(inputs, HIDDEN), nn.LeakyReLU(0.2),
        nn.Linear(HIDDEN, HIDDEN), nn.LeakyReLU(0.2),
        nn.Linear(HIDDEN, outputs),
    )  # fmt: skip


def real_points(count):
    """Points of eight heaps on a circle of radius 1: (count, 2)."""
    angle = torch.randint(0, 8, (count,)) * (math.pi / 4)
    return torch.stack([angle.cos(), angle.sin()], dim=1) + 0.05 * torch.randn(count, 2)


def gradient_penalty(critic, real, fake):
    """(|d critic / d x| - 1)^2 at points between real and fake ones."""
    share = torch.rand(len(real), 1)
    between = (share * real + (1 - share) * fake).requires_grad_()
    (slope,) = torch.autograd.grad(critic(between).sum(), between, create_graph=True)
    return ((slope.norm(dim=1) - 1) ** 2).mean()


def draw(real, fake, critic, path):
    try:
        from matplotlib import pyplot
    except ImportError:
        print("no picture: matplotlib is not installed")
        return
    side = torch.linspace(-1.6, 1.6, 80)
    grid = torch.stack(torch.meshgrid(side, side, indexing="xy"), dim=-1)
    with torch.no_grad():
        height = critic(grid.view(-1, 2)).view(80, 80)
    figure, axis = pyplot.subplots(figsize=(5, 5))
    axis.contourf(side.numpy(), side.numpy(), height.numpy(), 20, cmap="Blues", alpha=0.6)
    axis.scatter(*real.T.numpy(), s=6, c="black", label="real")
    axis.scatter(*fake.T.numpy(), s=6, c="crimson", label="made")
    axis.set_title("points, over the critic's score")
    axis.legend(loc="upper right")
    figure.savefig(path, dpi=100)
    pyplot.close(figure)


def main(steps=STEPS, picture=None):
    """Train for `steps` of the generator; return the critic's loss before each."""
    torch.manual_seed(0)
    critic, generator = network(2, 1), network(NOISE, 2)
    critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3, betas=(0.5, 0.9))
    generator_optimizer = torch.optim.Adam(generator.parameters(), lr=1e-3, betas=(0.5, 0.9))

    losses = []
    start = time.perf_counter()
    for step in tqdm(range(steps), desc="wgan_gp", unit="step"):
        for _ in range(CRITIC_STEPS):
            real = real_points(BATCH)
            fake = generator(torch.randn(BATCH, NOISE)).detach()
            loss = critic(fake).mean() - critic(real).mean()
            loss = loss + PENALTY * gradient_penalty(critic, real, fake)
            critic_optimizer.zero_grad()
            loss.backward()
            critic_optimizer.step()
        losses.append(loss.item())

        score = -critic(generator(torch.randn(BATCH, NOISE))).mean()
        generator_optimizer.zero_grad()
        score.backward()
        generator_optimizer.step()
        if step % 500 == 499:
            print(f"step {step + 1}: critic's loss {sum(losses[-100:]) / 100:.4f}")
    if steps == STEPS:
        print(f"{steps} steps in {time.perf_counter() - start:.1f} s")
    if picture:
        with torch.no_grad():
            draw(real_points(400), generator(torch.randn(400, NOISE)), critic, picture)
    return losses


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--picture", default="wgan_gp.png")
    options = parser.parse_args()
    torch.set_default_dtype(torch.float64)  # rounding would grow: two networks chase each other
    main(options.steps, options.picture)
