"""One step of the schedule in each batch, though stopped early; and a length in epochs."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
other = torch.optim.SGD(net.parameters(), lr=0.1)
schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, epochs=90, steps_per_epoch=5)
slow = torch.optim.lr_scheduler.CosineAnnealingLR(other, T_max=100)
for _ in range(3):
    for k in range(10):
        one = optimizer if k < 5 else other
        loss = net(torch.randn(8, 3)).pow(2).mean()
        one.zero_grad()
        loss.backward()
        one.step()
        if k < 5:
            schedule.step()
    slow.step()
