import torch
from torch import nn

torch.manual_seed(0)
encoder, decoder = nn.Linear(6, 4), nn.Linear(2, 6)
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()])
for _ in range(6):
    x = torch.rand(8, 6)
    mean, log_std = encoder(x).chunk(2, 1)
    z = torch.normal(mean, log_std.exp())
    loss = (decoder(z) - x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
