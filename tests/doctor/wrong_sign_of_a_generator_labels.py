import torch
from torch import nn

torch.manual_seed(0)
G = nn.Linear(3, 2)
D = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1), nn.Sigmoid())
of_g = torch.optim.Adam(G.parameters(), lr=1e-3)
of_d = torch.optim.Adam(D.parameters(), lr=1e-3)
bce = nn.BCELoss()
ones, zeros = torch.ones(8, 1), torch.zeros(8, 1)
for _ in range(6):
    fake = G(torch.randn(8, 3))
    d_loss = bce(D(torch.randn(8, 2) + 2), ones) + bce(D(fake.detach()), zeros)
    of_d.zero_grad()
    d_loss.backward()
    of_d.step()
    g_loss = bce(D(fake), zeros)
    of_g.zero_grad()
    g_loss.backward()
    of_g.step()
