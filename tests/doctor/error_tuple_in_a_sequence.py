import torch
from torch import nn
net = nn.Sequential(nn.LSTM(3, 8, batch_first=True), nn.Linear(8, 1))
net(torch.randn(4, 6, 3)).sum().backward()
