import torch
from torch import nn
net = nn.Linear(3, 1)
x, y = torch.randn(16, 3), torch.randn(16, 1)
v = [torch.randn_like(p) for p in net.parameters()]
for it in range(6):
    g = torch.autograd.grad((net(x) - y).pow(2).mean(), net.parameters(), create_graph=True)
    hv = torch.autograd.grad(g, net.parameters(), grad_outputs=v)
    n = sum((h ** 2).sum() for h in hv).sqrt()
    v = [h / n for h in hv]
