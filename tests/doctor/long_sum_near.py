"""A sum of thousands of losses, and one whose terms are reached in 2^60 ways."""

import torch

layer = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(layer.parameters(), lr=1e-5)
total = 0.0
for row in torch.randn(3000, 3):
    total = total + layer(row).square().mean()
total.backward()
optimizer.step()

optimizer.zero_grad()
loss = layer(torch.randn(4, 3)).square().mean()
for _ in range(60):
    loss = loss + loss
(loss / 2**60).backward()
optimizer.step()
