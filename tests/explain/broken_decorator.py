import torch
from torch import nn

net = nn.Linear(3, 1)


@torch.no_grad()
def compute_loss(x):
    return net(x).sum()


def train(x):
    loss = compute_loss(x)
    loss.backward()


train(torch.ones(2, 3))
