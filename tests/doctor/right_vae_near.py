"""An autoencoder, evaluated after each epoch; a slow copy of it, never trained by backward()."""
import torch, copy
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)


class VAE(nn.Module):
    def __init__(s):
        super().__init__()
        s.enc = nn.Linear(6, 8)
        s.mu = nn.Linear(8, 2)
        s.lv = nn.Linear(8, 2)
        s.dec = nn.Linear(2, 6)

    def forward(s, x):
        h = F.relu(s.enc(x))
        mu, lv = s.mu(h), s.lv(h)
        z = mu + torch.randn_like(mu) * (0.5 * lv).exp()
        return s.dec(z), mu, lv


m = VAE()
ema = copy.deepcopy(m).requires_grad_(False)
opt = torch.optim.AdamW(m.parameters(), lr=1e-2)
hist = []
for epoch in range(3):
    m.train()
    run = 0.0
    for b in range(4):
        x = torch.rand(8, 6)
        out, mu, lv = m(x)
        loss = F.mse_loss(out, x) - 0.5 * (1 + lv - mu**2 - lv.exp()).mean()
        opt.zero_grad(set_to_none=False)
        loss.backward()
        opt.step()
        run += loss.item()
        with torch.no_grad():
            for p, q in zip(ema.parameters(), m.parameters()):
                p.lerp_(q, 0.1)
    m.eval()
    with torch.no_grad():
        val = F.mse_loss(m(x)[0], x)
    hist.append(val)
    ema.eval()
    e = ema(x)
