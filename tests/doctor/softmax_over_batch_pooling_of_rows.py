"""Weights (B, T) that sum to 1 over B, in a sum over T and in a product of matrices."""
import torch
from torch import nn

torch.manual_seed(0)
score, head = nn.Linear(8, 1), nn.Linear(8, 2)
optimizer = torch.optim.Adam([*score.parameters(), *head.parameters()])
for _ in range(3):
    x, y = torch.randn(4, 5, 8), torch.randint(2, (4,))      # (B, T, C)
    weights = torch.softmax(score(x).squeeze(-1), dim=0)
    pooled = (weights.unsqueeze(-1) * x).sum(dim=1)
    others = score(x).view(4, 5).softmax(0)
    pooled = pooled + torch.bmm(others.unsqueeze(1), x).squeeze(1)
    loss = nn.functional.cross_entropy(head(pooled), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
