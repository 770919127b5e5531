import torch
from torch import nn

net = nn.Linear(3, 1)
x, y = torch.ones(2, 3), torch.zeros(2, 1)
with torch.no_grad():
    pred = net(x)
loss = ((pred - y) ** 2).mean()
loss.backward()
