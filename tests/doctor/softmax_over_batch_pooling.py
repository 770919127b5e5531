"""Weights of the time steps that sum to 1 over the batch."""
import torch
from torch import nn

torch.manual_seed(0)
score, head = nn.Linear(8, 1), nn.Linear(8, 2)
optimizer = torch.optim.Adam([*score.parameters(), *head.parameters()])
for _ in range(3):
    x, y = torch.randn(4, 5, 8), torch.randint(2, (4,))      # (B, T, C)
    weights = torch.softmax(score(x), dim=0)
    loss = nn.functional.cross_entropy(head((weights * x).sum(1)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
