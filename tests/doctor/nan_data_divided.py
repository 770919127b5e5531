"""A column of the data that is everywhere the same, divided by its deviation."""
import torch
from torch import nn

torch.manual_seed(0)
X = torch.randn(16, 4)
X[:, 2] = 1
X = (X - X.mean(0)) / X.std(0)
net = nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    loss = net(X).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
