"""Cleared after the attack; trained on both inputs; trained on each that the attack goes through."""
import torch
from torch import nn

net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
loss_of = nn.functional.cross_entropy


def attacked(x, labels):
    delta = torch.zeros_like(x, requires_grad=True)
    for _ in range(3):
        loss_of(net(x + delta), labels).backward()
        delta.data = delta.data + 0.02 * delta.grad.sign()
        delta.grad.zero_()
    return x + delta.detach()


for _ in range(4):
    x, labels = torch.randn(16, 8), torch.randint(0, 3, (16,))
    worst = attacked(x, labels)
    optimizer.zero_grad()
    loss_of(net(worst), labels).backward()
    optimizer.step()

    optimizer.zero_grad()
    x.requires_grad_()
    (loss_of(net(x), labels) / 2).backward()
    moved = (x + 0.1 * x.grad.sign()).detach()
    (loss_of(net(moved), labels) / 2).backward()
    optimizer.step()

    optimizer.zero_grad()
    delta = torch.zeros_like(x)
    for _ in range(3):
        delta.requires_grad_()
        (loss_of(net(moved + delta), labels) / 3).backward()
        delta = (delta + 0.02 * delta.grad.sign()).detach()
    optimizer.step()
