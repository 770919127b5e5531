"""Differences of all pairs that are meant: radial basis functions, a contrastive loss."""
import torch
from torch import nn

torch.manual_seed(0)
centres = nn.Parameter(torch.linspace(-2, 2, 8))
mix = nn.Linear(8, 1)
optimizer = torch.optim.SGD([centres, *mix.parameters()], lr=0.1)
x = torch.randn(8, 1)
y = x**2
for _ in range(3):
    bumps = torch.exp(-((x - centres) ** 2))                # (8, 8)
    out = mix(bumps)
    apart = (out - out.T).abs().mean()
    loss = ((out - y) ** 2).mean() + ((out.squeeze(1) - y.squeeze(1)) ** 2).mean() - 0.1 * apart
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
