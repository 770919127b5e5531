"""The root of the variance, in three ways, and a network that gives the deviation's logarithm."""
import torch
from torch import nn

torch.manual_seed(0)
x = torch.rand(16, 6)
encoder, decoder = nn.Linear(6, 4), nn.Linear(2, 6)
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=0.01)
for _ in range(4):
    mu, log_var = encoder(x).chunk(2, dim=1)
    loss = -0.5 * (1 + log_var - mu.pow(2) - log_var.exp()).sum(1).mean()
    for deviation in (torch.exp(0.5 * log_var), torch.exp(log_var / 2), log_var.exp().sqrt()):
        loss = loss + (decoder(mu + deviation * torch.randn_like(mu)) - x).pow(2).mean()
    mu, log_std = encoder(x).chunk(2, dim=1)
    loss = loss - 0.5 * (1 + 2 * log_std - mu.pow(2) - (2 * log_std).exp()).sum(1).mean()
    loss = loss + (decoder(mu + log_std.exp() * torch.randn_like(mu)) - x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
