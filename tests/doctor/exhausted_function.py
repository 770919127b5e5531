import torch
from torch import nn


def batches():
    for _ in range(4):
        yield torch.randn(8, 4)


torch.manual_seed(0)
net = nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
data = batches()
for _ in range(3):
    for x in data:
        loss = net(x).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
