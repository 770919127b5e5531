import copy

import torch
from torch import nn

torch.manual_seed(0)
server = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))


def train(net, x, y):
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for step in range(3):
        loss = (net(x) - y).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    return net.state_dict()


def average(net, states):
    for key in net.state_dict():
        net.state_dict()[key] = torch.stack([state[key] for state in states]).mean(0)


x = torch.randn(2, 16, 4)
for turn in range(3):
    states = [train(copy.deepcopy(server), part, part[:, :1]) for part in x]
    average(server, states)
