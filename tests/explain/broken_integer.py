import torch
from torch import nn

net = nn.Linear(3, 1)
scores = net(torch.ones(2, 3)).long()
loss = scores.float().sum()
loss.backward()
