import copy

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
average = copy.deepcopy(net)
opt = torch.optim.SGD(net.parameters(), lr=0.1)


def follow(decay=0.9):
    mean = average.state_dict()
    for key, value in net.state_dict().items():
        mean[key] = decay * mean[key] + (1 - decay) * value


for step in range(6):
    x = torch.randn(16, 4)
    loss = (net(x) - x[:, :1]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    follow()
