import torch
from torch import nn

encoder, decoder = nn.Linear(4, 3), nn.Linear(3, 4)
optimizer = torch.optim.SGD([*encoder.parameters(), *decoder.parameters()], lr=0.1)
x = torch.randn(8, 4)
for step in range(3):
    code = encoder(x).detach()
    loss = ((decoder(code) - x) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
