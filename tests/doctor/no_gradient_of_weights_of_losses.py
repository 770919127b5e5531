import math, torch
from torch import nn
net = nn.Linear(4, 2)
logvar = nn.Parameter(torch.zeros(2))
opt = torch.optim.Adam([*net.parameters(), logvar], lr=1e-2)
for it in range(8):
    x, y = torch.randn(16, 4), torch.randn(16, 2)
    e = (net(x) - y).pow(2).mean(0)
    loss = sum(math.exp(-logvar[i]) * e[i] + float(logvar[i]) for i in range(2))
    opt.zero_grad(); loss.backward(); opt.step()
