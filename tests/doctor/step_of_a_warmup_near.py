"""A group whose rate begins at 0 and rises."""
import torch
from torch import nn

backbone, head = nn.Linear(4, 6), nn.Linear(6, 2)
optimizer = torch.optim.SGD([
    {"params": backbone.parameters(), "lr": 0.0},
    {"params": head.parameters()},
], lr=0.1)
for step in range(10):
    optimizer.param_groups[0]["lr"] = 0.0 if step < 6 else 0.01
    scores = head(torch.relu(backbone(torch.randn(8, 4))))
    loss = nn.functional.cross_entropy(scores, torch.randint(0, 2, (8,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
