import copy
import torch
from torch import nn

torch.manual_seed(0)
class Average:
    def __init__(self, net):
        self.net = copy.deepcopy(net).eval().requires_grad_(False)
    def update(self, net):
        for a, p in zip(self.net.parameters(), net.parameters()):
            a.lerp_(p.detach(), 0.1)
net = nn.Sequential(nn.Linear(5, 10), nn.BatchNorm1d(10), nn.ReLU(), nn.Linear(10, 2))
average = Average(net)
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
for _ in range(5):
    loss = nn.functional.cross_entropy(net(torch.randn(16, 5)), torch.randint(2, (16,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    average.update(net)
