"""First-order meta-learning: each task trains a copy, whose gradients the network is given."""
import copy

import torch
from torch import nn

net = nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(10):
    learner = copy.deepcopy(net)
    inner = torch.optim.SGD(learner.parameters(), lr=0.01)
    x = torch.randn(8, 4)
    loss = (learner(x) - x.sum(1, keepdim=True)).pow(2).mean()
    loss.backward()
    inner.step()
    inner.zero_grad()
    x = torch.randn(8, 4)
    loss = (learner(x) - x.sum(1, keepdim=True)).pow(2).mean()
    loss.backward()
    for p, q in zip(net.parameters(), learner.parameters()):
        p.grad = q.grad
    optimizer.step()
