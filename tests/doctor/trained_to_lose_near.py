"""A decoder that learns alone first, then together with its encoder, by one optimizer."""
import torch
from torch import nn

encoder, decoder = nn.Linear(6, 3), nn.Linear(3, 6)
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-3)
for _ in range(5):
    code = torch.randn(8, 3)
    loss = (decoder(code) - code.repeat(1, 2)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
for _ in range(5):
    x = torch.randn(8, 6)
    loss = (decoder(encoder(x)) - x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
