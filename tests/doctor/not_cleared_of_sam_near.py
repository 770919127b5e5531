"""Gradients where the weights were pushed uphill, clipped, used and cleared."""
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
for _ in range(8):
    x = torch.randn(16, 4)
    y = x.sum(1, keepdim=True)
    (net(x) - y).pow(2).mean().backward()
    with torch.no_grad():
        norm = torch.stack([p.grad.norm() for p in net.parameters()]).norm()
        eps = [0.05 * p.grad / (norm + 1e-12) for p in net.parameters()]
        for p, e in zip(net.parameters(), eps):
            p.add_(e)
    opt.zero_grad()
    (net(x) - y).pow(2).mean().backward()
    with torch.no_grad():
        for p, e in zip(net.parameters(), eps):
            p.sub_(e)
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    opt.step()
    opt.zero_grad()
