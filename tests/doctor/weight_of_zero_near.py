import torch
from torch import nn

torch.manual_seed(0)
mean, log_var, decoder = nn.Linear(6, 2), nn.Linear(6, 2), nn.Linear(2, 6)
parts = [p for m in (mean, log_var, decoder) for p in m.parameters()]
opt = torch.optim.Adam(parts, lr=1e-2)
for epoch in range(8):
    beta = min(1, epoch / 10)
    x = torch.randn(32, 6)
    mu, lv = mean(x), log_var(x)
    out = decoder(mu + torch.randn_like(mu) * (0.5 * lv).exp())
    kl = -0.5 * (1 + lv - mu.pow(2) - lv.exp()).sum(1).mean()
    loss = (out - x).pow(2).mean() + beta * kl
    opt.zero_grad()
    loss.backward()
    opt.step()
