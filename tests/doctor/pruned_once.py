import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(20, 2))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
weight = net[0].weight
with torch.no_grad():
    weight.mul_(weight.abs() > weight.abs().median())
for _ in range(5):
    loss = nn.functional.cross_entropy(net(torch.randn(16, 10)), torch.randint(2, (16,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
