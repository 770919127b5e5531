"""Targets without a gradient, and losses that are meant to go both ways."""
import copy

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
slow = copy.deepcopy(net)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for i in range(6):
    x, y, reward = torch.randn(8, 4), torch.randn(8, 4), torch.randn(8, 1)
    with torch.no_grad():
        target = reward + 0.9 * slow(y)
    now, then = net(x), net(y)
    delta = reward + 0.9 * then - now
    loss = (now - target).pow(2).mean() + (now * delta.detach()).mean()
    loss = loss + nn.functional.mse_loss(now, reward + 0.9 * then.detach())
    # Both views are pulled together; an equation holds between neighbours.
    loss = loss + nn.functional.mse_loss(now, then)
    loss = loss + nn.functional.mse_loss(net(x + 0.01), net(x) + 0.01 * reward)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    slow.load_state_dict(net.state_dict())
