"""A mask that is applied after each step; sparse and diagonal beginnings; zeros in one row."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(10, 10), nn.ReLU(), nn.Linear(10, 10), nn.Linear(10, 2))
nn.init.eye_(net[2].weight)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
nn.init.sparse_(net[3].weight, 0.5)
weight = net[0].weight
mask = weight.abs() > weight.abs().median()
for _ in range(5):
    with torch.no_grad():
        weight.mul_(mask)
    loss = nn.functional.cross_entropy(net(torch.randn(16, 10)), torch.randint(2, (16,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
