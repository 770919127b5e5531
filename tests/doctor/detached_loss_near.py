"""A leaf that is itself the loss, and a parameter."""
import torch
from torch import nn

net = nn.Linear(4, 1)
net(torch.randn(8, 4)).mean().backward()
temperature = nn.Parameter(torch.tensor(1.0))
temperature.backward()
print(temperature.grad)
