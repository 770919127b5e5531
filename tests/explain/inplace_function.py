import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.act = nn.Linear(3, 3), nn.Sigmoid()

    def forward(self, x):
        h = self.act(self.fc(x))
        F.dropout(h, 0.5, inplace=True)
        return h


net = Net()
loss = net(torch.ones(2, 3)).sum()
loss.backward()
