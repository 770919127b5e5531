"""Steps that are left out where a gradient is not finite, and gradients that are only looked at."""
import torch
from torch import nn

net = nn.Linear(4, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for turn in range(12):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(net(torch.randn(8, 4)), torch.randint(0, 2, (8,)))
    loss.backward()
    if torch.isfinite(nn.utils.clip_grad_norm_(net.parameters(), 1.0)):
        optimizer.step()
for turn in range(6):
    x = torch.randn(1, 4, requires_grad=True)
    net(x)[0, 0].backward()
    saliency = x.grad.abs()
    net.zero_grad()
