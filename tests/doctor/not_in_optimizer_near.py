"""Two optimizers for two networks, as in a GAN: each knows its own."""
import torch
from torch import nn

G, D = nn.Linear(2, 4), nn.Linear(4, 1)
opt_g = torch.optim.Adam(G.parameters(), lr=0.01)
opt_d = torch.optim.Adam(D.parameters(), lr=0.01)
real, noise = torch.randn(8, 4), torch.randn(8, 2)
criterion = nn.BCEWithLogitsLoss()
for step in range(6):
    fake = G(noise)
    opt_d.zero_grad()
    loss_d = criterion(D(real), torch.ones(8, 1)) + criterion(D(fake.detach()), torch.zeros(8, 1))
    loss_d.backward()
    opt_d.step()
    opt_g.zero_grad()
    loss_g = criterion(D(fake), torch.ones(8, 1))
    loss_g.backward()
    opt_g.step()
