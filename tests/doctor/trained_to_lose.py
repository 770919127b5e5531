import torch
from torch import nn

G = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
D = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
optimizer = torch.optim.Adam([*G.parameters(), *D.parameters()], lr=1e-3)
bce = nn.BCEWithLogitsLoss()
for _ in range(5):
    real, fake = torch.randn(8, 2) + 3, G(torch.randn(8, 4))
    optimizer.zero_grad()
    d_loss = bce(D(real), torch.ones(8, 1)) + bce(D(fake.detach()), torch.zeros(8, 1))
    d_loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    g_loss = bce(D(fake), torch.ones(8, 1))
    g_loss.backward()
    optimizer.step()
