import torch
from torch import nn
from torch.nn import functional as F

encoder, decoder = nn.Linear(16, 8), nn.Linear(4, 16)
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], 1e-3)
for _ in range(20):
    x = torch.rand(32, 16).round()
    mean, log_var = encoder(x).chunk(2, 1)
    z = mean + torch.exp(0.5 * log_var) * torch.randn_like(mean)
    error = F.binary_cross_entropy_with_logits(decoder(z), x)
    divergence = -0.5 * torch.sum(1 + log_var - mean.pow(2) - log_var.exp())
    loss = error + divergence
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
