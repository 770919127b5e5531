"""Zeros at the end of a network, and on one side of a product, become different."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3))
nn.init.zeros_(net[2].weight)
a, b = nn.Parameter(torch.randn(4, 2)), nn.Parameter(torch.zeros(2, 3))
optimizer = torch.optim.SGD([*net.parameters(), a, b], lr=0.1)
for _ in range(6):
    x = torch.randn(8, 4)
    loss = nn.functional.cross_entropy(net(x) + x @ a @ b, x.argmax(1).clamp(max=2))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
