import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.last = nn.Conv2d(1, 4, 3), nn.Linear(4 * 5 * 5, 10)

    def forward(self, x):
        x = torch.relu(self.conv(x))
        return self.last(x.view(-1, 4 * 5 * 5))


loss = Net()(torch.randn(6, 1, 10, 10)).sum()
loss.backward()
