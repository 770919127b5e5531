import torch
from torch import nn

backbone, head = nn.Linear(4, 6), nn.Linear(6, 2)
rate = 1
optimizer = torch.optim.SGD([
    {"params": backbone.parameters(), "lr": rate // 10},
    {"params": head.parameters()},
], lr=0.1)
for _ in range(8):
    scores = head(torch.relu(backbone(torch.randn(8, 4))))
    loss = nn.functional.cross_entropy(scores, torch.randint(0, 2, (8,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
