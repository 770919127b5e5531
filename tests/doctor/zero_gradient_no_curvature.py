"""An equation of second order, and a network whose second derivative is 0."""
import torch
from torch import nn


def derivative(y, x):
    return torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)[0]


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(net.parameters())
for _ in range(3):
    x = torch.rand(20, 1, requires_grad=True)
    u = net(x)
    loss = (derivative(derivative(u, x), x) + torch.sin(x)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
