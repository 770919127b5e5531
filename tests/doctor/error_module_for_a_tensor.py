import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(4, 8), nn.Linear(8, 1)

    def forward(self, x):
        h = nn.ReLU(self.first(x))
        return self.second(h)


Net()(torch.randn(3, 4)).mean().backward()
