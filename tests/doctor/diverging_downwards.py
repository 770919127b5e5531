import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.3)
x = torch.rand(16, 4)
for _ in range(60):
    loss = -(net(x) - x.sum(1, keepdim=True)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
