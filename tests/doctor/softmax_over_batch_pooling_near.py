"""Weights that sum to 1 over what is summed; and a softmax over slots, which is not."""
import torch
from torch import nn

torch.manual_seed(0)
score, head, slots = nn.Linear(8, 1), nn.Linear(8, 2), nn.Linear(8, 3)
optimizer = torch.optim.Adam([*score.parameters(), *head.parameters(), *slots.parameters()])
for _ in range(3):
    x, y = torch.randn(4, 5, 8), torch.randint(2, (4,))      # (B, T, C)
    early, late = torch.softmax(score(x), dim=1), torch.softmax(score(x.transpose(0, 1)), dim=0)
    pooled = (early * x).sum(1) + (late * x.transpose(0, 1)).sum(0)
    shares = torch.softmax(slots(x), dim=2)
    pooled = pooled + (shares[..., None] * x[:, :, None]).sum(1).mean(1)
    loss = nn.functional.cross_entropy(head(pooled), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
