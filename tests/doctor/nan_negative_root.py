import torch
import torch.nn as nn
enc = nn.Linear(4, 4)
dec = nn.Linear(2, 4)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()])
for i in range(10):
    x = torch.randn(8, 4)
    mu, var = enc(x).chunk(2, 1)
    z = mu + torch.sqrt(var) * torch.randn_like(mu)
    kl = -0.5 * (1 + torch.log(var) - mu ** 2 - var).sum(1).mean()
    loss = (dec(z) - x).pow(2).mean() + kl
    opt.zero_grad(); loss.backward(); opt.step()
