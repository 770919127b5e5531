"""Hooks that change the gradient in place, that note it, and that return it."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
sizes = []


def in_place(grad):
    grad = grad.detach()
    grad *= 0.5


def note(grad):
    grad = grad.norm()
    sizes.append(grad.item())


def halve(grad):
    grad = grad * 0.5
    return grad


for hook in (in_place, note, halve):
    net.weight.register_hook(hook)
net.bias.register_hook(note)
net.bias.register_hook(in_place)
net.bias.register_hook(halve)
for _ in range(4):
    loss = net(torch.randn(8, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
