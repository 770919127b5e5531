import torch
from torch import nn

torch.manual_seed(0)
encoder, decoder = nn.Linear(6, 4), nn.Linear(2, 6)
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()])
for _ in range(6):
    x = torch.randn(8, 6)
    mu, log_var = encoder(x).chunk(2, dim=1)
    z = torch.normal(mu, (0.5 * log_var).exp())
    divergence = -0.5 * (1 + log_var - mu.pow(2) - log_var.exp()).sum(1).mean()
    loss = (decoder(z) - x).pow(2).sum(1).mean() + divergence
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
