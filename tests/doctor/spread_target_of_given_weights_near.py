import torch
from torch import nn
from torch.nn import functional as F

net = nn.Linear(3, 4)
logarithms = nn.Parameter(torch.zeros(16))
optimizer = torch.optim.SGD([*net.parameters(), logarithms], lr=0.01)
for it in range(8):
    x, labels, w = torch.randn(16, 3), torch.randint(4, (16,)), torch.rand(16, 1)
    each = F.cross_entropy(net(x), labels, reduction="none")
    pairs = torch.rand(16)[:, None] * each                    # meant: each with each
    points = torch.rand(16, 1) * logarithms.exp()             # as many points as coefficients
    loss = (w[:, 0] * each).mean() + pairs.mean() + (points.sum(1) - 1).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
