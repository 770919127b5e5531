"""A Wasserstein GAN with a penalty on gradients of gradients."""
import torch
from torch import nn

torch.manual_seed(0)
G = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 2))
D = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
og = torch.optim.Adam(G.parameters())
od = torch.optim.Adam(D.parameters())
for it in range(8):
    for _ in range(2):
        real = torch.randn(16, 2)
        fake = G(torch.randn(16, 2)).detach()
        eps = torch.rand(16, 1)
        mix = (eps * real + (1 - eps) * fake).requires_grad_()
        (g,) = torch.autograd.grad(D(mix).sum(), mix, create_graph=True)
        gp = ((g.norm(dim=1) - 1) ** 2).mean()
        loss = D(fake).mean() - D(real).mean() + 10 * gp
        od.zero_grad()
        loss.backward()
        od.step()
    og.zero_grad()
    lg = -D(G(torch.randn(16, 2))).mean()
    lg.backward()
    og.step()
