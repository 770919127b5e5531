"""One order for both; targets made of what was shuffled; and rows that have no partner."""
import torch
from torch import nn

inputs = torch.randn(64, 5)
inputs = inputs[torch.randperm(64)]
targets = inputs.sum(1, keepdim=True)
noise = torch.randn(64, 5)
net = nn.Linear(5, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
for epoch in range(2):
    order = torch.randperm(64)
    inputs = inputs[order]
    targets = targets[order]
    noise = noise[torch.randperm(64)]
    for i in range(0, 64, 16):
        x = inputs[i:i + 16] + 0.1 * noise[:16]
        loss = nn.functional.mse_loss(net(x), targets[i:i + 16])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
