"""Batches counted from 1, and a last, smaller group."""
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(6, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
accum, data = 4, [(torch.randn(8, 6), torch.randint(0, 3, (8,))) for _ in range(10)]
for epoch in range(3):
    opt.zero_grad()
    for i, (x, y) in enumerate(data, 1):
        group = min(accum, len(data) - (i - 1) // accum * accum)
        (nn.functional.cross_entropy(net(x), y) / group).backward()
        if i % accum == 0 or i == len(data):
            opt.step()
            opt.zero_grad()
