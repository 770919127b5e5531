"""Sums that are used, one that is to fail, and one that a notebook would show."""
import torch
from torch import nn

net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
for _ in range(4):
    x = torch.randn(16, 8)
    try:
        x + torch.randn(3)
    except RuntimeError:
        pass
    loss = nn.functional.mse_loss(net(x), x[:, :1])
    penalty = sum(p.pow(2).sum() for p in net.parameters())
    loss = loss + 0.5 * penalty
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
loss + penalty
