import torch
from torch import nn

net = nn.Linear(10, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(4):
    loss = nn.functional.cross_entropy(net(torch.randn(8, 10)), torch.randint(3, (8,)))
    penalty = sum(p.pow(2).sum() for p in net.parameters())
    loss =+ 0.001 * penalty
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
