"""Gradients of single examples, clipped one by one and summed up."""
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(8):
    total = [torch.zeros_like(p) for p in net.parameters()]
    for x in torch.randn(6, 4):
        net.zero_grad()
        (net(x) - x.sum()).pow(2).mean().backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        for t, p in zip(total, net.parameters()):
            t += p.grad
    for t, p in zip(total, net.parameters()):
        p.grad = (t + 0.1 * torch.randn_like(t)) / 6
    opt.step()
