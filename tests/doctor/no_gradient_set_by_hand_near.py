"""Gradients of two losses, each without what harms the other, that are put into `.grad`."""
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.Adam(net.parameters())
ps = list(net.parameters())
for _ in range(8):
    out = net(torch.randn(16, 4))
    gs = [torch.autograd.grad(out[:, k].pow(2).mean(), ps, retain_graph=k == 0) for k in range(2)]
    for p, a, b in zip(ps, *gs):
        dot = (a * b).sum()
        if dot < 0:
            a = a - dot / b.pow(2).sum().clamp(min=1e-12) * b
        p.grad = a + b
    opt.step()
