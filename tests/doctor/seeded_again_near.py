"""A seed for each of several networks, and a generator for what shall always be the same."""
import torch
from torch import nn

for _ in range(6):
    torch.manual_seed(0)
    net = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(2):
        noise = torch.randn(8, 4, generator=torch.Generator().manual_seed(1))
        loss = net(torch.randn(8, 4) + noise).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
