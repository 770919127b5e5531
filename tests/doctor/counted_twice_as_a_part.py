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
    loss = first + second
    loss.backward()
    optimizer.step()
