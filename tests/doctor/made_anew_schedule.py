import torch
from torch import nn


def train_epoch():
    optimizer = torch.optim.Adam(net.parameters())
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2)
    for _ in range(4):
        loss = nn.functional.cross_entropy(net(torch.randn(8, 4)), torch.randint(2, (8,)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    schedule.step()


torch.manual_seed(0)
net = nn.Linear(4, 2)
for epoch in range(6):
    train_epoch()
