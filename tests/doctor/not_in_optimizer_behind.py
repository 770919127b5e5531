import torch
import torch.nn as nn
enc = nn.Linear(4, 8)
actor, critic = nn.Linear(8, 2), nn.Linear(8, 1)
opt = torch.optim.Adam([*actor.parameters(), *critic.parameters()])
for i in range(10):
    f = enc(torch.randn(8, 4))
    logp = torch.log_softmax(actor(f), 1)
    v = critic(f)
    adv = torch.randn(8, 1) - v
    loss = -(logp[:, :1] * adv).mean() + adv.pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
