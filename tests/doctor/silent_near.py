"""Writes through .data where no graph has saved anything: at the start, and after backward()."""
import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
net[0].weight.data.normal_(0, 0.1)
nn.init.zeros_(net[0].bias.data)
for step in range(3):
    loss = net(torch.randn(8, 4)).pow(2).mean()
    net.zero_grad()
    loss.backward()
    for p in net.parameters():
        p.data -= 0.1 * p.grad
        p.data.clamp_(-1, 1)
