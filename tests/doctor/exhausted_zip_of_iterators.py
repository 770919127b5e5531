import torch
from torch import nn

net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
data = torch.randn(4, 8, 4), torch.randn(4, 8, 1)
xs, ys = iter(data[0]), iter(data[1])
for epoch in range(3):
    for i, (x, y) in enumerate(zip(xs, ys)):
        opt.zero_grad()
        (net(x) - y).pow(2).mean().backward()
        opt.step()
