"""Numbers and detached tensors are kept; a window of the last three losses does not grow."""
from collections import deque

import torch
from torch import nn

net, cell = nn.Linear(4, 1), nn.RNNCell(4, 4)
optimizer = torch.optim.SGD([*net.parameters(), *cell.parameters()], lr=0.1)
losses, kept, window, total, h = [], [], deque(maxlen=3), 0.0, torch.zeros(8, 4)
for step in range(12):
    h = cell(torch.randn(8, 4), h.detach())
    loss = net(h).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
    kept.append(loss.detach())
    window.append(loss)
    total += loss.item()
