import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.Dropout(), nn.Linear(16, 2))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(32, 4), torch.randint(2, (32,))
for _ in range(3):
    net.training = True
    loss = nn.functional.cross_entropy(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    net.training = False
    with torch.no_grad():
        print((net(x).argmax(1) == y).float().mean())
