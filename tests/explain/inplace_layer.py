import torch
from torch import nn

net = nn.Sequential(nn.Linear(3, 4), nn.Sigmoid(), nn.ReLU(inplace=True), nn.Linear(4, 1))
loss = net(torch.ones(2, 3)).sum()
loss.backward()
