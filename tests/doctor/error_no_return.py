import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 1)

    def forward(self, x):
        y = self.fc(x)


net = Net()
out = net(torch.randn(4, 3))
loss = nn.functional.mse_loss(out, torch.randn(4, 1))
