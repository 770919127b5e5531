"""Dropout that is told whether to act, and dropout that is meant to act in evaluation."""
import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.layer = nn.Linear(4, 16), nn.Linear(16, 2), nn.Dropout(0.1)

    def forward(self, x):
        x = F.dropout(F.relu(self.first(x)), 0.5, training=self.training)
        x = F.dropout(self.layer(x), 0.1, training=True)
        return self.second(x)


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    net.train()
    loss = F.cross_entropy(net(F.dropout(torch.randn(8, 4))), torch.arange(8) % 2)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    net.eval()
    with torch.no_grad():
        print(torch.stack([net(torch.ones(1, 4)) for _ in range(4)]).std(0))
