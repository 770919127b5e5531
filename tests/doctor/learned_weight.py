"""Learned weights of two losses, and nothing that keeps them from going to 0."""
import torch
from torch import nn

torch.manual_seed(0)
net, s = nn.Linear(3, 2), nn.Parameter(torch.zeros(2))
optimizer = torch.optim.Adam([*net.parameters(), s], lr=0.1)
for _ in range(10):
    x = torch.randn(32, 3)
    parts = torch.stack([nn.functional.mse_loss(net(x)[:, 0], x[:, 0]),
                         nn.functional.l1_loss(net(x)[:, 1], x[:, 1])])
    loss = (torch.exp(-s) * parts).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
