import torch
from torch import nn

torch.manual_seed(0)


class Diffusion:
    def __init__(self, steps=50):
        self.steps, self.kept = steps, torch.cumprod(1 - torch.linspace(1e-4, 0.05, steps), 0)

    def disturbed(self, x, t, noise=None):
        kept = self.kept[t][:, None]
        noise = torch.randn_like(x) if noise is None else noise
        return kept.sqrt() * x + (1 - kept).sqrt() * noise

    def loss(self, net, x):
        t = torch.randint(0, self.steps, (len(x),))
        noise = torch.randn_like(x)
        noisy = self.disturbed(x, t, noise)
        return (net(torch.cat([noisy, t[:, None] / self.steps], 1)) - noise).pow(2).mean()


net = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
diffusion = Diffusion()
for step in range(6):
    loss = diffusion.loss(net, torch.rand(32, 2))
    opt.zero_grad()
    loss.backward()
    opt.step()
