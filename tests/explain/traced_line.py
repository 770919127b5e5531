import torch
from torch import nn


class Gate(nn.Module):
    def forward(self, x):
        opened = torch.sigmoid(x)
        return opened, opened * x


x = torch.randn(3, requires_grad=True)
gate, out = Gate()(x)
gate.mul_(2)
out.sum().backward()
