"""A GAN whose generator steps first: its loss has filled the discriminator's .grad by then."""
import torch
from torch import nn

torch.manual_seed(0)
G, D = nn.Linear(4, 2), nn.Linear(2, 1)
opt_g = torch.optim.Adam(G.parameters(), lr=1e-3)
opt_d = torch.optim.Adam(D.parameters(), lr=1e-3)
bce = nn.BCEWithLogitsLoss()
for _ in range(6):
    opt_g.zero_grad()
    opt_d.zero_grad()
    fake = G(torch.randn(16, 4))
    bce(D(fake), torch.ones(16, 1)).backward()
    opt_g.step()
    real = torch.randn(16, 2) + 2
    loss = bce(D(real), torch.ones(16, 1)) + bce(D(fake.detach()), torch.zeros(16, 1))
    loss.backward()
    opt_d.step()
