"""Targets that are computed from what was shuffled, on the same line."""
import torch
from torch import nn

inputs = torch.randn(64, 5)
inputs = inputs[torch.randperm(64)]; targets = inputs.sum(1, keepdim=True)  # noqa: E702
net = nn.Linear(5, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
for i in range(0, 64, 16):
    loss = nn.functional.mse_loss(net(inputs[i:i + 16]), targets[i:i + 16])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
