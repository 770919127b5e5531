"""Scores (N, T, C) in a cross entropy: there are as many classes as positions, and no error."""
import torch
from torch import nn

torch.manual_seed(0)
for bias in (True, False):
    net = nn.Linear(8, 5, bias=bias)
    optimizer = torch.optim.Adam(net.parameters())
    for _ in range(3):
        x, y = torch.randn(5, 3, 8).transpose(0, 1), torch.randint(5, (3, 5))
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()
criterion = nn.CrossEntropyLoss()
for _ in range(3):
    x, y = torch.randn(3, 5, 8), torch.randint(5, (3, 5))
    optimizer.zero_grad()
    criterion(net(x), y).backward()
    optimizer.step()
