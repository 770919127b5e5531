"""The number of the epoch, and the fractions of one that CosineAnnealingWarmRestarts takes."""
import torch
from torch import nn
from torch.optim.lr_scheduler import CosineAnnealingWarmRestarts, ExponentialLR

net = nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.001)
other = torch.optim.SGD(net.parameters(), lr=0.001)
scheduler, restarts = ExponentialLR(optimizer, 0.9), CosineAnnealingWarmRestarts(other, 4)
for epoch in range(6):
    for i in range(2):
        for one in (optimizer, other):
            one.zero_grad()
            net(torch.randn(8, 4)).pow(2).mean().backward()
            one.step()
        restarts.step(epoch + i / 2)
    scheduler.step(epoch + 1)
