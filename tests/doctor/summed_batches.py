"""Gradients of four batches are added, and SGD steps by their sum."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
accumulate = 4
for i in range(12):
    x, y = torch.randn(8, 4), torch.randint(2, (8,))
    loss = nn.functional.cross_entropy(net(x), y)
    loss.backward()
    if (i + 1) % accumulate == 0:
        optimizer.step()
        optimizer.zero_grad()
