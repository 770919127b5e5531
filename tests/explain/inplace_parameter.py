import torch
from torch import nn


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(3))

    def forward(self, x):
        return x * self.w


net = nn.Sequential(nn.Linear(3, 3), Scale())
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
out = net(torch.ones(2, 3))
out.mean().backward(retain_graph=True)
optimizer.step()
out.sum().backward()
