"""Means of columns, and of rows that stay columns."""
import torch
from torch import nn

net = nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(net.parameters())
for _ in range(3):
    h = net[0](torch.randn(16, 5))
    h = h - h.mean(0)
    h = h - h.mean(1, keepdim=True)
    loss = net[2](net[1](h)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
