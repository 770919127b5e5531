import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x):
        h = torch.sigmoid(self.layer(x))
        first = h[:, 0]
        first.mul_(2)
        return h.mean(1)


torch.manual_seed(0)
loss = Net()(torch.randn(2, 5, 8)).sum()
loss.backward()
