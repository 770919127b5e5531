import torch
from torch import nn

torch.manual_seed(0)
net = nn.Conv2d(1, 1, 3, padding=1)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(4):
    x = torch.rand(8, 1, 8, 8)
    t, noise = torch.rand(x.size(0)), torch.randn_like(x)
    between = x * t + noise * (1 - t)
    loss = (net(between) - (x - noise)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
