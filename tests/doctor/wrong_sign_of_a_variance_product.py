import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU())
mean, logvar = nn.Linear(16, 1), nn.Linear(16, 1)
opt = torch.optim.Adam([*net.parameters(), *mean.parameters(), *logvar.parameters()], lr=1e-2)
for _ in range(10):
    x = torch.randn(32, 4)
    h = net(x)
    mu, lv = mean(h), logvar(h)
    nll = torch.exp(-lv) * (x[:, :1] - mu) ** 2 - lv
    loss = nll.mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
