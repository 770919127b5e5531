"""A sum of two numbers for each iteration, of which item() would be an error."""
import torch
from torch import nn

net = nn.Linear(4, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
totals = torch.zeros(2)
for _ in range(9):
    losses = net(torch.randn(8, 4)).pow(2).mean(0)
    opt.zero_grad()
    losses.sum().backward()
    opt.step()
    totals += losses
