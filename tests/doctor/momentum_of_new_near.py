"""Averages over many batches, over all of them, and no averages."""
import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.BatchNorm1d(8, momentum=None),
                    nn.BatchNorm1d(8, momentum=0.01), nn.Linear(8, 1))
optimizer = torch.optim.Adam(net.parameters())
for _ in range(3):
    loss = net(torch.randn(8, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
