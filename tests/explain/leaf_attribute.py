import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x):
        self.features = torch.relu(self.fc(x))
        return self.features.sum()


net = Net()
net(torch.ones(2, 3)).backward()
net.features.grad
