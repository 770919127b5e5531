import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(16, 1).half()
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for _ in range(10):
    x = torch.randn(64, 16).half() * 0.01
    loss = (net(x) * 1e-3).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
