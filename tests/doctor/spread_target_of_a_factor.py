import torch
from torch import nn

torch.manual_seed(0)
alphas = torch.linspace(0.99, 0.1, 20)
net = nn.Conv2d(1, 1, 3, padding=1)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)


def noised(x, t, noise):
    a = alphas[t]
    return a.sqrt() * x + (1 - a).sqrt()[:, None, None, None] * noise


for _ in range(4):
    x = torch.rand(8, 1, 8, 8)
    t, noise = torch.randint(0, 20, (8,)), torch.randn_like(x)
    loss = (net(noised(x, t, noise)) - noise).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
