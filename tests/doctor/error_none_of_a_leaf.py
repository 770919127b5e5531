import torch
from torch import nn

encoder, decoder = nn.Linear(4, 3), nn.Linear(3, 4)
code = encoder(torch.ones(2, 4)).detach()
loss = decoder(code).pow(2).mean()
loss.backward()
print(encoder.weight.grad.norm())
