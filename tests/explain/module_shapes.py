import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x)


net = nn.Sequential(nn.Linear(3, 5), nn.ReLU(), Block())
net(torch.ones(2, 3))
