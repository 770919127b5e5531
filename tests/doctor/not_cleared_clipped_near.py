"""Clipped and cleared; and gradients that are to fade, not to be cleared."""
import torch
from torch import nn

torch.manual_seed(0)
net, other = nn.Linear(4, 1), nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
fading = torch.optim.SGD(other.parameters(), lr=0.01)
for _ in range(8):
    x = torch.randn(6, 4)
    (net(x) - 3).pow(2).mean().backward()
    nn.utils.clip_grad_norm_(net.parameters(), 0.1)
    optimizer.step()
    optimizer.zero_grad()
    (other(x) - 3).pow(2).mean().backward()
    nn.utils.clip_grad_norm_(other.parameters(), 0.1)
    fading.step()
    for p in other.parameters():
        p.grad.mul_(0.5)
