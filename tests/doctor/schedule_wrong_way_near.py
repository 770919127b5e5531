"""The accuracy with mode="max", what is left of 1, and a loss."""
import torch
from torch import nn
from torch.optim.lr_scheduler import ReduceLROnPlateau

torch.manual_seed(0)
x = torch.randn(32, 4)
y = (x[:, 0] > 0).long()
net = nn.Linear(4, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
up = ReduceLROnPlateau(optimizer, mode="max", patience=2)
down = ReduceLROnPlateau(optimizer, patience=2)
other = ReduceLROnPlateau(optimizer, patience=2)
for _ in range(4):
    scores = net(x)
    loss = nn.functional.cross_entropy(scores, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    acc = (scores.argmax(1) == y).float().mean().item()
    up.step(acc)
    down.step(1 - acc)
    other.step(loss.item())
