import torch
from torch import nn

net, criterion = nn.Linear(6, 2), nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(net.parameters())
for _ in range(4):
    x, y = torch.randn(32, 6), torch.randint(2, (32,))
    lam, index = 0.3, torch.randperm(32)
    out = net(lam * x + (1 - lam) * x[index])
    loss = lam * criterion(out, y) + (1 - lam) * criterion(out, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
