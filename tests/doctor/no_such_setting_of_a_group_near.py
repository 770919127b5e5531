"""Settings of groups that the program itself reads."""
import torch
from torch import nn

body, head = nn.Linear(10, 20), nn.Linear(20, 3)
optimizer = torch.optim.SGD(
    [{"params": body.parameters(), "base_lr": 1e-3, "name": "body", "scale": 0.1},
     {"params": head.parameters(), "base_lr": 1e-2, "weight_decay": 0.0}], lr=0.1)
for step in range(3):
    for group in optimizer.param_groups:
        group["lr"] = group["base_lr"] * (1 - step / 10)
    loss = nn.functional.cross_entropy(head(body(torch.randn(8, 10))), torch.randint(3, (8,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
