import torch
from torch import nn

net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
for p in net.parameters():
    p.requires_grad = False
loss = net(torch.ones(2, 3)).sum()
loss.backward()
