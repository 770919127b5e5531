"""Heads that are networks themselves, in a plain dict."""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.heads = {"a": nn.Sequential(nn.Tanh(), nn.Linear(4, 1))}

    def forward(self, x):
        return self.heads["a"](self.body(x))


net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(3):
    loss = net(torch.randn(8, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
