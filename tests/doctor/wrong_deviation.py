import torch
from torch import nn

torch.manual_seed(0)
x = torch.rand(16, 6)
encoder, decoder = nn.Linear(6, 4), nn.Linear(2, 6)
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=0.01)
for _ in range(4):
    mu, log_var = encoder(x).chunk(2, dim=1)
    z = mu + log_var.exp() * torch.randn_like(mu)
    divergence = -0.5 * (1 + log_var - mu.pow(2) - log_var.exp()).sum(1).mean()
    loss = nn.functional.mse_loss(decoder(z), x) + divergence
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
