import copy

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 1)
average, decay = copy.deepcopy(net).requires_grad_(False), 0.99
optimizer = torch.optim.Adam(net.parameters())
for _ in range(12):
    x = torch.randn(8, 4)
    loss = (net(x) - x.sum(1, keepdim=True)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for a, p in zip(average.parameters(), net.parameters()):
            a.copy_((1 - decay) * a + decay * p)
