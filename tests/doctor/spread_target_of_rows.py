import torch
from torch import nn

net = nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(net.parameters())
for _ in range(3):
    x = torch.randn(16, 5)
    h = net[0](x)
    h = h - h.mean(1)
    loss = net[2](net[1](h)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
