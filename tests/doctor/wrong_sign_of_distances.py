import torch
from torch import nn
from torch.nn import functional as F

net, centers = nn.Linear(6, 4), nn.Parameter(torch.randn(3, 4))
optimizer = torch.optim.SGD([*net.parameters(), centers], lr=0.001)
for _ in range(4):
    x, labels = torch.randn(32, 6), torch.randint(3, (32,))
    loss = F.cross_entropy(torch.cdist(net(x), centers) / 2, labels)
    squares = ((net(x)[:, None] - centers) ** 2).sum(2)
    loss = loss + F.cross_entropy(squares, labels)
    few = torch.cdist(net(x[:8]), centers)                    # computed in another way
    loss = loss + F.cross_entropy(few, labels[:8])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
