import numpy as np

import torch
from torch import nn

inputs = torch.rand(60, 3)
targets = inputs.sum(1)
net = nn.Linear(3, 1)
optimizer = torch.optim.Adam(net.parameters())


def train():
    global inputs
    for _ in range(2):
        order = np.random.permutation(60)
        inputs = inputs[order]
        for b in range(6):
            out = net(inputs[b * 10:(b + 1) * 10]).squeeze(1)
            loss = ((out - targets[b * 10:(b + 1) * 10]) ** 2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


train()
