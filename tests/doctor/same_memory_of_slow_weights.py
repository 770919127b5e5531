"""Slow weights, a list for each parameter group, that are the parameters themselves."""
import torch
from torch import nn


class Lookahead:
    def __init__(self, optimizer):
        self.optimizer = optimizer
        self.slow = [[p.detach() for p in group["params"]] for group in optimizer.param_groups]

    def step(self):
        self.optimizer.step()
        with torch.no_grad():
            for group, slow in zip(self.optimizer.param_groups, self.slow):
                for p, q in zip(group["params"], slow):
                    q.add_(p - q, alpha=0.5)
                    p.copy_(q)


torch.manual_seed(0)
net = nn.Linear(4, 1)
lookahead = Lookahead(torch.optim.SGD(net.parameters(), lr=0.05))
for _ in range(5):
    x = torch.randn(16, 4)
    loss = (net(x) - x.sum(1, keepdim=True)).pow(2).mean()
    lookahead.optimizer.zero_grad()
    loss.backward()
    lookahead.step()
