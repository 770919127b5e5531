"""New optimizers for new networks, for plain steps, and for several steps each."""
import torch
from torch import nn

torch.manual_seed(0)


def step(net, optimizer):
    loss = nn.functional.cross_entropy(net(torch.randn(8, 4)), torch.randint(2, (8,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


for fold in range(6):
    fresh = nn.Linear(4, 2)
    step(fresh, torch.optim.Adam(fresh.parameters()))
net = nn.Linear(4, 2)
for _ in range(6):
    step(net, torch.optim.SGD(net.parameters(), lr=0.1))
for cycle in range(6):
    optimizer = torch.optim.Adam(net.parameters())
    schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    for _ in range(3):
        step(net, optimizer)
        schedule.step()
