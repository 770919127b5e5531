import torch
from torch import nn
from torch.nn import functional as F

net, centers = nn.Linear(6, 4), nn.Parameter(torch.randn(3, 4))
capsules = nn.Linear(6, 12)
optimizer = torch.optim.SGD([*net.parameters(), *capsules.parameters(), centers], lr=0.001)
for _ in range(4):
    x, labels = torch.randn(32, 6), torch.randint(3, (32,))
    loss = F.cross_entropy(-torch.cdist(net(x), centers) / 2, labels)
    squares = ((net(x)[:, None] - centers) ** 2).sum(2)
    loss = loss + F.cross_entropy(squares * -0.5, labels)
    lengths = capsules(x).view(32, 3, 4).norm(dim=2)          # the longest capsule is the answer
    loss = loss + F.cross_entropy(lengths, labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
