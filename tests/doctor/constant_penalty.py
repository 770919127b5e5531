import torch
from torch import nn


def gradient_penalty(real, fake):
    eps = torch.rand(real.size(0), 1)
    mix = (eps * real + (1 - eps) * fake).requires_grad_(True)
    g = torch.autograd.grad(outputs=D(mix).sum(), inputs=mix, retain_graph=True)[0]
    return ((g.norm(2, dim=1) - 1) ** 2).mean()


torch.manual_seed(0)
D = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
optimizer = torch.optim.Adam(D.parameters())
for _ in range(3):
    real, fake = torch.randn(8, 2), torch.randn(8, 2) + 3
    gp = gradient_penalty(real, fake)
    loss = D(fake).mean() - D(real).mean() + 10 * gp
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
