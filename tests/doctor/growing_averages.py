"""Averages of parameters that keep the graphs of all averages before."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
average = {name: p.clone() for name, p in net.named_parameters()}
for _ in range(10):
    loss = net(torch.randn(8, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    for name, p in net.named_parameters():
        average[name] = 0.9 * average[name] + 0.1 * p
