import torch
from torch import nn


def start(layer):
    if isinstance(layer, nn.Linear):
        nn.init.xavier_uniform_(layer.weight)


net = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(net.parameters())
for epoch in range(4):
    net.apply(start)
    for _ in range(3):
        loss = net(torch.randn(8, 5)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
