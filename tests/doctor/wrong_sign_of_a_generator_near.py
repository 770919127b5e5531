"""Three GANs whose sides pull against each other, and a bound that two networks make large."""
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
G, encoder = nn.Linear(3, 2), nn.Linear(3, 2)
critic = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
fits = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 1))
of_g = torch.optim.Adam([*G.parameters(), *encoder.parameters()], lr=1e-3)
of_d = torch.optim.Adam([*critic.parameters(), *fits.parameters()], lr=1e-3)
bce = F.binary_cross_entropy_with_logits
ones, zeros = torch.ones(8, 1), torch.zeros(8, 1)


def step(optimizer, loss):
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


for _ in range(6):
    x, real, fake = torch.randn(8, 3), torch.randn(8, 2) + 2, G(torch.randn(8, 3))
    step(of_d, bce(critic(real), ones) + bce(critic(fake.detach()), zeros))
    step(of_g, bce(critic(fake), ones))
    fake = G(torch.randn(8, 3))
    step(of_d, F.relu(1 - critic(real)).mean() + F.relu(1 + critic(fake.detach())).mean())
    step(of_g, -critic(fake).mean())
    fake = G(torch.randn(8, 3))
    step(of_d, bce(critic(real), ones) + bce(critic(fake.detach()), zeros))
    step(of_g, -bce(critic(fake), zeros))
    code = encoder(x)
    step(of_d, fits(torch.cat([code.detach().roll(1, 0), x], 1)).exp().mean().log()
         - fits(torch.cat([code.detach(), x], 1)).mean())
    step(of_g, -fits(torch.cat([code, x], 1)).mean())
