"""A list of as many layers, an activation in several places, and one layer that is shared."""
import torch
from torch import nn

torch.manual_seed(0)
shared = nn.Linear(4, 4)
sizes = [nn.Linear(4, 4).in_features] * 2
net = nn.Sequential(*[nn.Linear(4, 4) for _ in range(2)], *[nn.Tanh()] * 2, shared, nn.ReLU(),
                    shared, nn.Linear(*sizes))
optimizer = torch.optim.Adam(net.parameters())
for _ in range(3):
    loss = net(torch.randn(8, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
