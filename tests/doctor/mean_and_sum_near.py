"""The sum of both, a weight that makes up for the mean, and a mean over the examples."""
import torch
from torch import nn
from torch.nn import functional as F

encoder, decoder = nn.Linear(16, 8), nn.Linear(4, 16)
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], 1e-3)
for step in range(30):
    x = torch.rand(32, 16).round()
    mean, log_var = encoder(x).chunk(2, 1)
    out = decoder(mean + torch.exp(0.5 * log_var) * torch.randn_like(mean))
    parts = 1 + log_var - mean.pow(2) - log_var.exp()
    if step < 10:
        loss = F.mse_loss(out, x, reduction="sum") - 0.5 * torch.sum(parts)
    elif step < 20:
        loss = F.mse_loss(out, x) - 0.5 * torch.sum(parts) / x.numel()
    else:
        loss = F.mse_loss(out, x) + 0.01 * (-0.5 * parts.sum(1)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
