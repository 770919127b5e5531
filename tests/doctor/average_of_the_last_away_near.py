import copy

import torch
from torch import nn


class Average:
    def __init__(self, params, decay):
        self.decay = decay
        self.kept = [p.detach().clone() for p in params]

    @torch.no_grad()
    def update(self, params):
        for kept, p in zip(self.kept, params):
            gap = kept - p
            kept.sub_((1 - self.decay) * gap)


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
other = copy.deepcopy(net)                   # a second one, which learns something else
first = [p.detach().clone() for p in net.parameters()]
average = Average(net.parameters(), 0.95)
opt = torch.optim.Adam(net.parameters(), lr=0.01)
other_opt = torch.optim.Adam(other.parameters(), lr=0.01)
for step in range(12):
    x = torch.randn(32, 4)
    for one, optimizer, target in (net, opt, x[:, :1]), (other, other_opt, -5 * x[:, :1]):
        loss = (one(x) - target).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    average.update(net.parameters())
