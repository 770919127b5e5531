import torch
from torch import nn

torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))
critic = nn.Sequential(nn.Linear(1, 8), nn.ReLU(), nn.Linear(8, 1))
opt_g = torch.optim.Adam(generator.parameters(), lr=1e-3)
opt_d = torch.optim.Adam(critic.parameters(), lr=1e-3)
bce = nn.BCEWithLogitsLoss()
ones, zeros = torch.ones(16, 1), torch.zeros(16, 1)
for _ in range(6):
    real, fake = torch.randn(16, 1) + 2, generator(torch.randn(16, 2)).detach()
    d_loss = bce(critic(real), ones) + bce(critic(fake), zeros)
    d_loss.backward()
    opt_d.step()
    opt_d.zero_grad()
    g_loss = bce(critic(generator(torch.randn(16, 2))), ones)
    g_loss.backward()
    opt_g.step()
    opt_g.zero_grad()
