import torch
from torch import nn

net = nn.Linear(3, 1)
a, b = net(torch.ones(3)), net(torch.zeros(3))
loss = torch.tensor([a, b]).sum()
loss.backward()
