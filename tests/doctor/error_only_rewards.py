import torch
import torch.nn as nn
from torch.distributions import Normal
net = nn.Linear(3, 2)
opt = torch.optim.Adam(net.parameters())
for i in range(10):
    mu, log_std = net(torch.randn(8, 3)).chunk(2, -1)
    dist = Normal(mu, log_std.exp())
    a = dist.sample()
    r = -(a - 1).pow(2)
    loss = -r.mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
