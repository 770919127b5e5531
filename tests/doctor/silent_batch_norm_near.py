"""Batch norm writes into its running averages, twice before backward(): no gradient needs them."""
import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(net.parameters())
for step in range(3):
    loss = net(torch.randn(8, 4)).pow(2).mean() + net(torch.randn(8, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
