import torch
from torch import nn

body, head = nn.Linear(10, 20), nn.Linear(20, 3)
optimizer = torch.optim.Adam(
    [{"params": body.parameters(), "learning_rate": 1e-5}, {"params": head.parameters()}])
for _ in range(3):
    loss = nn.functional.cross_entropy(head(body(torch.randn(8, 10))), torch.randint(3, (8,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
