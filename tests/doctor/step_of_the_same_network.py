import torch
from torch import nn
actor, critic = nn.Linear(4, 2), nn.Linear(4, 1)
opt_a = torch.optim.Adam(actor.parameters())
opt_c = torch.optim.Adam(actor.parameters())
for i in range(6):
    s = torch.randn(8, 4)
    loss_c = critic(s).pow(2).mean()
    opt_c.zero_grad()
    loss_c.backward()
    opt_c.step()
    loss_a = -torch.log_softmax(actor(s), 1)[:, 0].mean()
    opt_a.zero_grad(); loss_a.backward(); opt_a.step()
