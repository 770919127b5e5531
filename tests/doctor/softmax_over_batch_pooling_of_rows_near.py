"""The steps come first, (T, B, C), and are what the weights sum to 1 over."""
import torch
from torch import nn

torch.manual_seed(0)
score, head = nn.Linear(8, 1), nn.Linear(8, 2)
optimizer = torch.optim.Adam([*score.parameters(), *head.parameters()])
for _ in range(3):
    x, y = torch.randn(5, 4, 8), torch.randint(2, (4,))      # (T, B, C)
    weights = torch.softmax(score(x).squeeze(-1), dim=0)
    pooled = (weights.unsqueeze(-1) * x).sum(dim=0)
    pooled = pooled + torch.bmm(weights.t().unsqueeze(1), x.transpose(0, 1)).squeeze(1)
    pooled = pooled + (weights.t().unsqueeze(-1) * x.transpose(0, 1)).sum(1)
    loss = nn.functional.cross_entropy(head(pooled), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
