"""Flows in both directions, a VAE, and a policy with a learned deviation."""
import torch
from torch import nn

torch.manual_seed(0)
nets = [nn.Linear(1, 2), nn.Linear(1, 2)]
optimizer = torch.optim.Adam([p for net in nets for p in net.parameters()], lr=1e-2)
for forth in (True, False):
    for _ in range(8):
        a, b = torch.randn(32, 2).mul(0.3).chunk(2, dim=1)
        log_det = torch.zeros(32)
        for net in nets:
            s, t = net(a).chunk(2, dim=1)
            if forth:
                a, b = b * torch.exp(s) + t, a
                log_det = log_det + s.sum(1)
            else:
                a, b = (b - t) * torch.exp(-s), a
                log_det = log_det - s.sum(1)
        loss = -(log_det - 0.5 * torch.cat([a, b], 1).pow(2).sum(1)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

encoder, decoder = nn.Linear(3, 4), nn.Linear(2, 3)
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-2)
for _ in range(8):
    x = torch.randn(16, 3)
    mean, log_var = encoder(x).chunk(2, dim=1)
    z = mean + torch.exp(0.5 * log_var) * torch.randn_like(mean)
    divergence = 0.5 * (mean.pow(2).sum() + log_var.exp().sum() - log_var.sum())
    loss = (decoder(z) - x).pow(2).sum() + divergence
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

actor, log_std = nn.Linear(3, 2), nn.Parameter(torch.zeros(2))
optimizer = torch.optim.Adam([*actor.parameters(), log_std], lr=1e-2)
for _ in range(8):
    x = torch.randn(16, 3)
    action = actor(x) + torch.exp(log_std) * torch.randn(16, 2)
    loss = (action - x[:, :2]).pow(2).mean() - 0.01 * log_std.sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
