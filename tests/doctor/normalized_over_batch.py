import torch
from torch import nn
from torch.nn import functional as F

net = nn.Linear(10, 8)
optimizer = torch.optim.Adam(net.parameters())
for _ in range(4):
    x = torch.randn(16, 10)
    a, b = net(x), net(x + 0.1 * torch.randn_like(x))
    a = F.normalize(a, dim=0)
    loss = F.cross_entropy(a @ F.normalize(b, dim=0).t() / 0.1, torch.arange(16))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
