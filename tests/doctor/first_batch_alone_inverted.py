import torch
from torch import nn

net = nn.Linear(4, 1)
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
for i in range(16):
    x = torch.randn(16, 4)
    loss = (net(x) - x.sum(1, keepdim=True)).pow(2).mean() / 4
    loss.backward()
    if (i + 1) % 4:
        optimizer.step()
        optimizer.zero_grad()
