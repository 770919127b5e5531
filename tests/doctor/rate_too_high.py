import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(64, 6)
y = (x[:, 0] > x[:, 1]).long()
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=10)
for _ in range(10):
    loss = nn.functional.cross_entropy(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
