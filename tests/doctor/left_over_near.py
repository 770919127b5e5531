"""Gradients of two losses in one turn, for a part that both have; a critic that is cleared."""
import torch
from torch import nn

torch.manual_seed(0)
trunk, first, second = nn.Linear(4, 8), nn.Linear(8, 1), nn.Linear(8, 1)
optimizers = [torch.optim.SGD(part.parameters(), lr=0.01) for part in (trunk, first, second)]
x = torch.randn(32, 4)
for _ in range(6):
    for optimizer in optimizers:
        optimizer.zero_grad()
    nn.functional.mse_loss(first(trunk(x)), x[:, :1]).backward()
    optimizers[1].step()
    nn.functional.mse_loss(second(trunk(x)), x[:, 1:2]).backward()
    optimizers[2].step()
    optimizers[0].step()

generator, critic = nn.Linear(2, 1), nn.Linear(1, 1)
opt_g = torch.optim.Adam(generator.parameters(), lr=1e-3)
opt_d = torch.optim.Adam(critic.parameters(), lr=1e-3)
bce = nn.BCEWithLogitsLoss()
for _ in range(6):
    opt_d.zero_grad()
    fake = generator(torch.randn(16, 2)).detach()
    d_loss = bce(critic(torch.randn(16, 1) + 2), torch.ones(16, 1))
    d_loss = d_loss + bce(critic(fake), torch.zeros(16, 1))
    d_loss.backward()
    opt_d.step()
    opt_g.zero_grad()
    g_loss = bce(critic(generator(torch.randn(16, 2))), torch.ones(16, 1))
    g_loss.backward()
    opt_g.step()
