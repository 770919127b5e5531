"""An average with its buffers, a network that is kept as it was, and one that is copied whole."""
import copy
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 10), nn.BatchNorm1d(10), nn.ReLU(), nn.Linear(10, 2))
average, first, target = (copy.deepcopy(net).eval().requires_grad_(False) for _ in range(3))
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
for _ in range(5):
    loss = nn.functional.cross_entropy(net(torch.randn(16, 5)), torch.randint(2, (16,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    for a, p in zip(average.parameters(), net.parameters()):
        a.lerp_(p.detach(), 0.1)
    for a, b in zip(average.buffers(), net.buffers()):
        a.copy_(b)
target.load_state_dict(net.state_dict())
