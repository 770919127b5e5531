import torch
from torch import nn


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(5, 2))

    def forward(self, x):
        return x @ self.w


net = nn.ModuleDict({"head": Head()})
net["head"](torch.ones(2, 3))
