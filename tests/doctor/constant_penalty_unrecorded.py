import torch
import torch.nn as nn
enc, dec = nn.Linear(6, 4), nn.Linear(2, 6)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()])
def kl(mu, lv):
    with torch.no_grad():
        return -0.5 * (1 + lv - mu ** 2 - lv.exp()).sum(1).mean()
for i in range(6):
    x = torch.randn(8, 6)
    mu, lv = enc(x).chunk(2, 1)
    z = mu + torch.randn_like(mu) * (0.5 * lv).exp()
    loss = (dec(z) - x).pow(2).mean() + kl(mu, lv)
    opt.zero_grad(); loss.backward(); opt.step()
