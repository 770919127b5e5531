import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.last = nn.Conv2d(3, 8, 3, padding=1), nn.Linear(128, 10)

    def forward(self, x):
        x = self.conv(x)
        x = x.view(-1, 8 * 4 * 4)
        return self.last(x)


net, criterion = Net(), nn.CrossEntropyLoss()
loss = criterion(net(torch.randn(4, 3, 8, 8)), torch.randint(10, (4,)))
