"""Noise that a function is given, also one that computes a loss, and other noise for the data."""
import torch
from torch import nn

kept = torch.linspace(0.99, 0.01, 20)
net = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(net.parameters())


def noisy(x, t, e):
    return kept[t].sqrt()[:, None] * x + (1 - kept[t]).sqrt()[:, None] * e


def loss_fn(x, e):
    return (net(torch.cat([x + e, x[:, :1]], dim=1)) - x).pow(2).mean()


for _ in range(4):
    noise = torch.randn(32, 2)
    loss_fn(torch.ones(32, 2), noise).backward()
    optimizer.step()
    optimizer.zero_grad()
for _ in range(4):
    x, t = torch.ones(32, 2) + 0.1 * torch.randn(32, 2), torch.randint(20, (32,))
    eps = torch.randn_like(x)
    given = torch.cat([noisy(x, t, eps), t[:, None] / 20], dim=1)
    loss = (net(given) - eps).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
