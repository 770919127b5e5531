import torch
from torch import nn

torch.manual_seed(0)
G = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
D = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
G_optimizer, D_optimizer = torch.optim.Adam(G.parameters()), torch.optim.Adam(D.parameters())
bce, one = nn.BCEWithLogitsLoss(), torch.ones(8, 1)
for _ in range(6):
    fake = G(torch.randn(8, 4))
    loss = bce(D(torch.randn(8, 2)), one) + bce(D(fake), 0 * one)
    D_optimizer.zero_grad()
    loss.backward()
    D_optimizer.step()
    loss = bce(D(G(torch.randn(8, 4))), one)
    loss.backward()
    G_optimizer.step()
    G_optimizer.zero_grad()
