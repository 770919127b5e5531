import torch
from torch import nn

net = nn.Linear(2, 2)


def metric(pred, target):
    return sum([(p - t).abs().sum().item() for p, t in zip(pred, target)])


pred = net(torch.ones(3, 2))
loss = torch.as_tensor(metric(pred, torch.zeros(3, 2)))
loss.backward()
