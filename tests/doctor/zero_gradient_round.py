import torch
from torch import nn

net = nn.Linear(4, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(6):
    x = torch.randn(8, 4)
    levels = torch.round(net(x) * 10) / 10
    loss = (levels - x[:, :2]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
