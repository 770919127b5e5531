"""Copies that are copies, second names that are none, and a layer that two networks share."""
import copy

import torch
from torch import nn

net = nn.Linear(4, 2)
model = net
target = copy.deepcopy(net)
ema = nn.Linear(4, 2)
for p, q in zip(ema.parameters(), net.parameters()):
    p.data = q.data.clone()
best = net
net = nn.Linear(4, 2)
net.load_state_dict(best.state_dict())
shared = nn.Linear(4, 4)
one, two = nn.Sequential(shared, nn.Linear(4, 2)), nn.Sequential(shared, nn.Linear(4, 2))
optimizer = torch.optim.SGD([*net.parameters(), *one.parameters(), *two[1].parameters()], lr=0.1)
for step in range(12):
    x = torch.randn(8, 4)
    with torch.no_grad():
        wanted = target(x) + ema(x) + best(x) + model(x)
    loss = (net(x) - wanted).pow(2).mean() + (one(x) - two(x) - 1).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 4 == 3:
        target.load_state_dict(net.state_dict())
    with torch.no_grad():
        for p, q in zip(ema.parameters(), net.parameters()):
            p.mul_(0.9).add_(q, alpha=0.1)
