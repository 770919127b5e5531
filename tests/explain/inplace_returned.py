import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x):
        return torch.sigmoid(self.fc(x))


net = Net()
out = net(torch.ones(2, 3))
out -= 0.5
loss = out.mean()
loss.backward()
