"""Frozen with no gradient left; and gradients that are given by hand to what is never recorded."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.AdamW(net.parameters(), lr=0.1)
for step in range(6):
    if step == 3:
        net[0].requires_grad_(False)
    loss = net(torch.randn(8, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
for p in net.parameters():
    p.requires_grad_(False)
for step in range(4):
    for p in net.parameters():
        p.grad = 0.1 * torch.randn_like(p)
    optimizer.step()
