import copy

import torch
from torch import nn

net = nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
replicas = [copy.deepcopy(net) for _ in range(2)]
x, y = torch.randn(16, 4), torch.randn(16, 1)
for _ in range(3):
    optimizer.zero_grad()
    for replica, part, target in zip(replicas, x.chunk(2), y.chunk(2), strict=True):
        nn.functional.mse_loss(replica(part), target).backward()
    optimizer.step()
