"""Weights with a sum that holds them, a scale of an output, and multipliers that go uphill."""
import torch
from torch import nn

torch.manual_seed(0)
net, s, scale = nn.Linear(3, 2), nn.Parameter(torch.zeros(2)), nn.Parameter(torch.ones(1))
multiplier = nn.Parameter(torch.ones(1))
optimizer = torch.optim.Adam([*net.parameters(), s, scale], lr=0.1)
ascent = torch.optim.SGD([multiplier], lr=0.1, maximize=True)
for _ in range(10):
    x = torch.randn(32, 3)
    first = nn.functional.mse_loss(scale * net(x)[:, 0], x[:, 0])
    second = nn.functional.l1_loss(net(x)[:, 1], x[:, 1])
    loss = (torch.exp(-s) * torch.stack([first, second])).sum() + s.sum()
    loss = loss + multiplier * (net.weight.pow(2).mean())
    optimizer.zero_grad()
    ascent.zero_grad()
    loss.backward()
    optimizer.step()
    ascent.step()
