"""Data (B, T, C) given the shape (T, B, C) for a layer that reads the steps first."""
import torch
from torch import nn

torch.manual_seed(0)
rnn, head = nn.GRU(3, 8), nn.Linear(8, 2)
optimizer = torch.optim.Adam([*rnn.parameters(), *head.parameters()], lr=1e-3)
for _ in range(4):
    x, y = torch.randn(6, 5, 3), torch.randint(2, (6,))
    steps = x.view(5, 6, 3)
    out, h = rnn(steps)
    loss = nn.functional.cross_entropy(head(h[-1]), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
