"""Clipped where it helps: after two passes, twice, and gradients that were set by hand."""
import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_, clip_grad_value_

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    for _ in range(2):
        net(torch.randn(8, 4)).pow(2).mean().backward()
    clip_grad_norm_(net.parameters(), 1.0)
    clip_grad_value_(net.parameters(), 0.5)
    optimizer.step()
for _ in range(3):
    loss = net(torch.randn(8, 4)).pow(2).mean()
    grads = torch.autograd.grad(loss, list(net.parameters()))
    for p, g in zip(net.parameters(), grads):
        p.grad = g
    clip_grad_norm_(net.parameters(), 1.0)
    optimizer.step()
