"""A divergence by hand: 0 times the logarithm of 0, which no variable holds."""
import torch
from torch import nn

net = nn.Linear(3, 4)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
q = torch.eye(4)
for _ in range(3):
    p = net(torch.randn(4, 3)).softmax(1)
    loss = (q * (q.log() - p.log())).sum(1).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
