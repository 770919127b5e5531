import torch
from torch import nn
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
for p in net.parameters():
    nn.init.zeros_(p)
opt = torch.optim.SGD(net.parameters(), lr=.1)
for i in range(6):
    loss = (net(torch.randn(8, 4)) - 1).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
