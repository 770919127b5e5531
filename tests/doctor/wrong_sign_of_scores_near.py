"""Picked scores that others are subtracted from, and picked logarithms of probabilities."""
import torch
from torch import nn

net = nn.Linear(4, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(16):
    x, labels = torch.randn(16, 4), torch.randint(0, 3, (16,))
    scores = net(x)
    right = scores.gather(1, labels[:, None])
    if step < 8:
        loss = (scores.logsumexp(1, keepdim=True) - right).mean()
    else:
        loss = -scores.log_softmax(1)[torch.arange(16), labels].mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
