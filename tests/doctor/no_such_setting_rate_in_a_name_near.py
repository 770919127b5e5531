"""Rates in a variable that is used again: for the groups, another optimizer, a step by hand."""
import torch
from torch import nn

torch.manual_seed(0)


def train(by_hand):
    lr = 0.1
    net = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=lr)
    for epoch in range(4):
        loss = net(torch.randn(8, 4)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        lr *= 0.5
        if not by_hand:
            for group in optimizer.param_groups:
                group["lr"] = lr


train(False)
rate = 0.1
net = nn.Linear(4, 1)
first = torch.optim.SGD(net.parameters(), lr=rate)
for optimizer in (first, None):
    if optimizer is None:
        rate = 0.01
        optimizer = torch.optim.Adam(net.parameters(), lr=rate)
    for _ in range(4):
        loss = net(torch.randn(8, 4)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
