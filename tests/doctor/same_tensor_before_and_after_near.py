"""Copies from before, layers that share a weight, and a parameter asked before any step."""
import copy

import torch
from torch import nn

net = nn.Sequential(nn.Embedding(5, 4), nn.Tanh(), nn.Linear(4, 5))
net[2].weight = net[0].weight
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
first = net[0].weight
assert torch.equal(first, net[0].weight)
before, state = net[0].weight.detach().clone(), copy.deepcopy(net.state_dict())
for _ in range(3):
    x = torch.arange(5)
    loss = nn.functional.cross_entropy(net(x), (x + 1) % 5)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
assert torch.equal(net[0].weight, net[2].weight)
print(torch.equal(before, net[0].weight), (before - net[0].weight.data).abs().max())
print([torch.allclose(state[key], value) for key, value in net.state_dict().items()])
