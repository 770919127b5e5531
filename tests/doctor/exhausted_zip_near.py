"""A few elements in each epoch, of an iterator with enough for all of them."""
import torch
from torch import nn

net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
stream = iter(torch.randn(12, 8, 4))
for epoch in range(3):
    for i, x in zip(range(4), stream):
        opt.zero_grad()
        net(x).pow(2).mean().backward()
        opt.step()
