"""An average over many steps, and a target that is a copy after every step."""
import copy

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 1)
average, target = copy.deepcopy(net).requires_grad_(False), copy.deepcopy(net)
optimizer = torch.optim.Adam(net.parameters())
for _ in range(12):
    x = torch.randn(8, 4)
    loss = (net(x) - x.sum(1, keepdim=True)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    target.load_state_dict(net.state_dict())
    with torch.no_grad():
        for a, p in zip(average.parameters(), net.parameters()):
            a.mul_(0.99).add_(p, alpha=0.01)
