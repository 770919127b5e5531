import torch
from torch import nn
from torch.nn import functional as F

encoder, decoder = nn.Linear(10, 6), nn.Linear(3, 10)
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()])
for _ in range(4):
    x = torch.rand(32, 10)
    mu, log_var = encoder(x).chunk(2, dim=1)
    z = mu.data + torch.exp(0.5 * log_var.data) * torch.randn_like(mu)
    loss = F.mse_loss(decoder(z), x, reduction="sum")
    loss = loss - 0.5 * (1 + log_var - mu.pow(2) - log_var.exp()).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
