"""A head that learns on a frozen body first, then together with it, by one optimizer."""
import torch
from torch import nn

body, head = nn.Sequential(nn.Linear(4, 8), nn.ReLU()), nn.Linear(8, 3)
x, y = torch.randn(16, 4), torch.randint(3, (16,))
body.requires_grad_(False)
optimizer = torch.optim.Adam(head.parameters(), lr=1e-2)
for _ in range(5):
    loss = nn.functional.cross_entropy(head(body(x)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
body.requires_grad_(True)
optimizer = torch.optim.Adam([*body.parameters(), *head.parameters()], lr=1e-3)
for _ in range(5):
    loss = nn.functional.cross_entropy(head(body(x)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
