import torch
from torch import nn
from torch.utils.data import DataLoader

samples = [([float(i), i * 2.0, 1.0], i % 2) for i in range(16)]
net = nn.Linear(3, 2)
for x, y in DataLoader(samples, batch_size=8):
    loss = nn.functional.cross_entropy(net(x), y)
    loss.backward()
