import torch
from torch import nn

encoder, first, second = nn.Linear(3, 3), nn.Linear(3, 1), nn.Linear(3, 1)
for x in torch.ones(2, 1, 3):
    z = torch.tanh(encoder(x))
    loss1 = first(z).mean()
    loss2 = second(z).mean()
    loss1.backward()
    loss2.backward()
