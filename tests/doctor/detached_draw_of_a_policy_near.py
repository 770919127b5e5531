import torch
from torch import nn
policy, value = nn.Linear(4, 2), nn.Linear(4, 1)
opt = torch.optim.Adam([*policy.parameters(), *value.parameters()], lr=1e-2)
for ep in range(6):
    s = torch.randn(8, 4)
    mu, ls = policy(s).chunk(2, 1)
    d = torch.distributions.Normal(mu, ls.exp())
    a = d.sample()
    r = -(a - s[:, :1]) ** 2
    v = value(s)
    adv = (r - v).detach()
    loss = -(d.log_prob(a) * adv).mean() + (v - r).pow(2).mean() - 0.01 * d.entropy().mean()
    opt.zero_grad(); loss.backward(); opt.step()
