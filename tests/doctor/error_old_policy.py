import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical

actor = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 3))
critic = nn.Linear(4, 1)
opt = torch.optim.Adam([*actor.parameters(), *critic.parameters()], 3e-4)
for it in range(4):
    s = torch.randn(64, 4)
    d = Categorical(logits=actor(s))
    a = d.sample()
    old = d.log_prob(a)
    R = torch.randn(64)
    for ep in range(3):
        d = Categorical(logits=actor(s))
        lp = d.log_prob(a)
        v = critic(s).squeeze(-1)
        adv = (R - v).detach()
        ratio = (lp - old).exp()
        pl = -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()
        vl = F.mse_loss(v, R)
        opt.zero_grad()
        (pl + 0.5 * vl).backward()
        opt.step()
