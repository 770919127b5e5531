"""States that are copied, or loaded into another network, or at once."""
import copy

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 2)
target = copy.deepcopy(net)
optimizer = torch.optim.SGD(net.parameters(), lr=1.0)
before = net.state_dict()
for _ in range(6):
    best = copy.deepcopy(net.state_dict())
    second = {name: t.clone() for name, t in net.state_dict().items()}
    loss = nn.functional.cross_entropy(net(torch.randn(8, 4)), torch.randint(2, (8,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    target.load_state_dict(net.state_dict())
net.load_state_dict(best)
net.load_state_dict(second)
target.load_state_dict(before)
net.load_state_dict(net.state_dict())
