import torch
from torch import nn

net = nn.Linear(6, 4)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(6):
    x = torch.randn(16, 6)
    out = net(x)
    p = torch.cat([out[:, :2] - out[:, 2:].exp(), out[:, :2] + out[:, 2:].exp()], 1)
    g = torch.tensor([-1.0, -1.0, 2.0, 2.0]).expand(16, 4)
    sides = (torch.min(p[:, 2:], g[:, 2:]) - torch.max(p[:, :2], g[:, :2])).clamp(min=0)
    inter = sides[:, 0] * sides[:, 1]
    area = (p[:, 2:] - p[:, :2]).prod(1) + (g[:, 2:] - g[:, :2]).prod(1)
    loss = (1 - inter / (area - inter)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
