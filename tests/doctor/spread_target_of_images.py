"""Masks (N, H, W) for an output (N, 1, H, W), in a loss that is scaled."""
import torch
from torch import nn

net = nn.Conv2d(1, 1, 3, padding=1)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for _ in range(3):
    prob, mask = torch.sigmoid(net(torch.randn(4, 1, 6, 6))), torch.ones(4, 6, 6)
    loss = 0.5 * ((prob - mask) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
