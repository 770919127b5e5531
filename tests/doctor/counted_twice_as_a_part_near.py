"""Two losses one after the other, and the size of one's gradient, which is cleared."""
import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(net.parameters())
for _ in range(4):
    x = torch.randn(8, 4)
    out = net(x)
    first, second = (out - x[:, :2]).pow(2).mean(0)
    optimizer.zero_grad()
    first.backward(retain_graph=True)
    size = net[0].weight.grad.norm()
    optimizer.zero_grad()
    (first / size + second).backward()
    optimizer.step()
    out = net(x)
    first, second = (out - x[:, :2]).pow(2).mean(0)
    optimizer.zero_grad()
    first.backward(retain_graph=True)
    second.backward()
    optimizer.step()
