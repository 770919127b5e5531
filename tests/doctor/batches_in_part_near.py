"""Batches one after the other, and the windows of a series, which begin one step apart."""
import torch
from torch import nn

x = torch.randn(500, 4)
y, size, steps = x.sum(1, keepdim=True), 50, 10
net = nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), 0.01)
for i in range(len(x) // size):
    i *= size
    loss = nn.functional.mse_loss(net(x[i:i + size]), y[i:i + size])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
for i in range(len(x) // size):
    loss = nn.functional.mse_loss(net(x[i * size:(i + 1) * size]), y[i * size:(i + 1) * size])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
for i in range(40 - steps):
    loss = nn.functional.mse_loss(net(x[i:i + steps]), y[i:i + steps])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
