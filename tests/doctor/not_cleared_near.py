"""Gradients of several batches are added up on purpose, then cleared, in three ways."""
import torch
from torch import nn

net = nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(9):
    loss = net(torch.randn(8, 4)).pow(2).mean() / 3
    loss.backward()
    if step % 3 == 2:
        optimizer.step()
        optimizer.zero_grad(set_to_none=step < 5)

w = torch.randn(4, requires_grad=True)
for step in range(3):
    loss = (w * w).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    w.grad.data.zero_()
