import torch
from torch import nn
enc, dec = nn.Linear(6, 4), nn.Linear(2, 6)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()], lr=1e-2)
for it in range(8):
    x = torch.rand(16, 6)
    mu, lv = enc(x).chunk(2, 1)
    q = torch.distributions.Normal(mu, (0.5 * lv).exp())
    z = q.sample()
    kl = torch.distributions.kl_divergence(q, torch.distributions.Normal(0.0, 1.0)).sum(1).mean()
    loss = (dec(z) - x).pow(2).sum(1).mean() + kl
    opt.zero_grad(); loss.backward(); opt.step()
