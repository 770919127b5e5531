import torch
from torch import nn
net = nn.Linear(4, 2)
losses = [net(torch.randn(3, 4)).pow(2).mean() for _ in range(3)]
losses.backward()
