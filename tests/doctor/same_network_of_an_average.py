import torch
from torch import nn


class Average:
    def __init__(self, net, decay=0.9):
        self.decay = decay
        self.shadow = net

    @torch.no_grad()
    def update(self, net):
        for s, p in zip(self.shadow.parameters(), net.parameters()):
            s.mul_(self.decay).add_(p, alpha=1 - self.decay)


def train(net):
    average = Average(net)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(12):
        loss = net(torch.randn(8, 4)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        average.update(net)
    return average.shadow


torch.manual_seed(0)
train(nn.Linear(4, 2))
