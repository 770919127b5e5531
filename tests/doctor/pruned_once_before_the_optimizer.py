import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(10, 2)
def prune(p, share):
    p.data[p.abs() < p.abs().flatten().quantile(share)] = 0
prune(net.weight, 0.5)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(5):
    loss = nn.functional.cross_entropy(net(torch.randn(16, 10)), torch.randint(2, (16,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
