"""Sums that are meant: divided, of sums, with a rate for it, or by Adam, to which all are alike."""
import torch
from torch import nn

torch.manual_seed(0)


def train(net, make, loss_of, scale=1.0, every=3, clip=False):
    optimizer = make(net.parameters())
    for i in range(9):
        loss = loss_of(net(torch.randn(8, 4)))
        loss.backward()
        if (i + 1) % every == 0:
            for p in net.parameters():
                p.grad *= scale
            if clip:
                nn.utils.clip_grad_norm_(net.parameters(), 0.1)
            optimizer.step()
            optimizer.zero_grad()


def sgd(params):
    return torch.optim.SGD(params, lr=0.01)


train(nn.Linear(4, 1), sgd, lambda out: out.pow(2).mean() / 3)
train(nn.Linear(4, 1), sgd, lambda out: out.pow(2).sum())
train(nn.Linear(4, 1), sgd, lambda out: out.pow(2).mean(), scale=1 / 3)
train(nn.Linear(4, 1), sgd, lambda out: out.pow(2).mean(), clip=True)
train(nn.Linear(4, 1), torch.optim.Adam, lambda out: out.pow(2).mean())

parts, net = 2, nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1 / parts)
for i in range(6):
    net(torch.randn(8, 4)).pow(2).mean().backward()
    if i % parts == 1:
        optimizer.step()
        optimizer.zero_grad()

net, tasks = nn.Linear(4, 1), [torch.randn(8, 4), torch.randn(6, 4)]
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(4):
    optimizer.zero_grad()
    for task in tasks:
        net(task).pow(2).mean().backward()
    optimizer.step()
