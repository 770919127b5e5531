import torch
from torch import nn

torch.manual_seed(0)
STEPS = 40
kept = torch.cumprod(1 - torch.linspace(1e-4, 0.05, STEPS), 0)


def read(table, t):
    return table.gather(0, t)


def loss_of(net, x, t):
    noise = torch.randn_like(x)
    share, rest = read(kept.sqrt(), t), read((1 - kept).sqrt(), t)
    noisy = share * x + rest * noise
    return (net(torch.cat([noisy, t[:, None] / STEPS], 1)) - noise).pow(2).mean()


net = nn.Sequential(nn.Linear(17, 32), nn.ReLU(), nn.Linear(32, 16))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for step in range(6):
    loss = loss_of(net, torch.rand(16, 16), torch.randint(0, STEPS, (16,)))
    opt.zero_grad()
    loss.backward()
    opt.step()
