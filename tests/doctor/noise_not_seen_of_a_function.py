import torch
from torch import nn

kept = torch.linspace(0.99, 0.01, 20)
net = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(net.parameters())


def noisy(x, t):
    return kept[t].sqrt()[:, None] * x + (1 - kept[t]).sqrt()[:, None] * torch.randn_like(x)


for _ in range(4):
    x, t = torch.randn(32, 2), torch.randint(20, (32,))
    noise = torch.randn_like(x)
    given = torch.cat([noisy(x, t), t[:, None] / 20], dim=1)
    loss = (net(given) - noise).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
