import torch
from torch import nn
from torch.nn import functional as F

net = nn.Linear(3, 4)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for it in range(8):
    x, labels, w = torch.randn(16, 3), torch.randint(4, (16,)), torch.rand(16, 1)
    each = F.cross_entropy(net(x), labels, reduction="none")
    loss = (w * each).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
