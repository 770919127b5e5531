"""A frozen encoder is meant to get no gradient."""
import torch
from torch import nn

encoder, decoder = nn.Linear(4, 3), nn.Linear(3, 4)
encoder.requires_grad_(False)
optimizer = torch.optim.SGD(decoder.parameters(), lr=0.1)
x = torch.randn(8, 4)
for step in range(3):
    loss = ((decoder(encoder(x)) - x) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
