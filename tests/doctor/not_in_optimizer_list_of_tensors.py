"""Weights of two losses, which are to be learned, in a list."""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleList([nn.Linear(4, 1), nn.Linear(4, 1)])
        self.log_vars = [torch.zeros((), requires_grad=True) for _ in range(2)]

    def forward(self, x):
        return [head(x).pow(2).mean() for head in self.heads]


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.Adam(net.parameters())
for _ in range(6):
    losses = net(torch.randn(8, 4))
    loss = sum((-v).exp() * part + v for v, part in zip(net.log_vars, losses))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
