"""Noise that is drawn once, in a function or not, and a second draw for something else."""
import math

import torch
from torch import nn


def mixed(x, t, noise):
    return t * x + (1 - t) * noise


net = nn.Linear(2, 2)
optimizer = torch.optim.Adam(net.parameters())
for _ in range(4):
    x, t = torch.randn(32, 2) + 0.1 * torch.randn(32, 2), torch.rand(32, 1)
    noise = torch.randn_like(x)
    out = net(mixed(x, t, noise))
    loss = nn.functional.mse_loss(out, noise)
    loss = loss + (0.5 * out.pow(2).sum(1) + math.log(2 * math.pi) - net(x).sum(1)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(torch.func.jacrev(net)(x[0]))
