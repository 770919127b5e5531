"""Two losses of one graph, rows of a Jacobian, and a gradient that is looked at first."""
import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
for _ in range(4):
    out = net(torch.randn(8, 4))
    optimizer.zero_grad()
    out[:, 0].pow(2).mean().backward(retain_graph=True)
    out[:, 1].abs().mean().backward(retain_graph=True)
    out.backward(torch.ones(8, 2), retain_graph=True)
    out.backward(torch.arange(16.0).view(8, 2), retain_graph=True)
    loss = out.pow(2).mean()
    torch.autograd.grad(loss, list(net.parameters()), retain_graph=True)
    loss.backward()
    optimizer.step()
