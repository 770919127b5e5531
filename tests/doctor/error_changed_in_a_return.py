import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(4, 1)

    def forward(self, x):
        return self.out(torch.sigmoid(x).mul_(2))


x = torch.randn(3, 4, requires_grad=True)
Net()(x).sum().backward()
