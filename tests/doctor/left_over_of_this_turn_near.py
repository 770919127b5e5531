"""The generator steps first, and the discriminator is cleared; two losses that agree add up."""
import torch
from torch import nn

torch.manual_seed(0)
G, D = nn.Linear(4, 2), nn.Linear(2, 1)
opt_g = torch.optim.Adam(G.parameters(), lr=1e-3)
opt_d = torch.optim.Adam(D.parameters(), lr=1e-3)
bce = nn.BCEWithLogitsLoss()
for _ in range(6):
    opt_g.zero_grad()
    fake = G(torch.randn(16, 4))
    bce(D(fake), torch.ones(16, 1)).backward()
    opt_g.step()
    opt_d.zero_grad()
    real = torch.randn(16, 2) + 2
    loss = bce(D(real), torch.ones(16, 1)) + bce(D(fake.detach()), torch.zeros(16, 1))
    loss.backward()
    opt_d.step()

body, head = nn.Linear(4, 2), nn.Linear(2, 1)
opt_body = torch.optim.Adam(body.parameters(), lr=1e-3)
opt_head = torch.optim.Adam(head.parameters(), lr=1e-3)
for _ in range(6):
    opt_body.zero_grad()
    opt_head.zero_grad()
    x = torch.randn(16, 4)
    h = body(x)
    nn.functional.mse_loss(head(h), x[:, :1]).backward()
    opt_body.step()
    loss = nn.functional.mse_loss(head(h.detach() + 0.1 * torch.randn(16, 2)), x[:, :1])
    loss.backward()
    opt_head.step()
