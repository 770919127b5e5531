import torch
from torch import nn

net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 2))
x = torch.randn(64, 3)
labels = (x[:, 0] > 0).long()
for _ in range(8):
    loss = nn.functional.cross_entropy(net(x), labels)
    net.zero_grad()
    loss.backward()
    with torch.no_grad():
        for p in net.parameters():
            p += 0.1 * p.grad
