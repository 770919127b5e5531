import torch
from torch import nn

net = nn.Linear(6, 3)
optimizer = torch.optim.Adam(net.parameters())
for _ in range(8):
    loss = nn.functional.cross_entropy(net(torch.randn(8, 6)), torch.randint(3, (8,)))
    size = sum(p.pow(2).sum() for p in net.parameters())
    loss = loss - 0.01 * size
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
