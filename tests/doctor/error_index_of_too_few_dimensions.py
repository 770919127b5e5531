import torch
from torch import nn

net = nn.Linear(4, 2)
states, actions = torch.randn(8, 4), torch.randint(0, 2, (8,))
values = net(states).gather(1, actions)
values.mean().backward()
