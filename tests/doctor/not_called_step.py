import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for _ in range(6):
    optimizer.zero_grad()
    loss = (net(torch.randn(8, 4)) - 1).pow(2).mean()
    loss.backward()
    optimizer.step
