"""The alignment of two sets of features, whose lengths as a whole are divided out."""
import torch
from torch import nn

one, two = nn.Linear(10, 8), nn.Linear(10, 8)
optimizer = torch.optim.Adam([*one.parameters(), *two.parameters()], 1e-3)
for _ in range(10):
    x = torch.randn(16, 10)
    a, b = one(x), two(x.flip(1))
    loss = -((a / a.norm()).t() @ (b / b.norm())).norm()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
