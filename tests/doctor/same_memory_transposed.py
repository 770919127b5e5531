import torch
from torch import nn

torch.manual_seed(0)
encoder, decoder = nn.Linear(6, 3), nn.Linear(3, 6)
decoder.weight.data = encoder.weight.data.t()
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()])
for _ in range(3):
    x = torch.randn(8, 6)
    loss = (decoder(encoder(x)) - x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
