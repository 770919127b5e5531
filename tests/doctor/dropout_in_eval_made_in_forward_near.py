"""Dropout that stays on for a committee of passes, and one that is told of the mode."""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.drop, self.b = nn.Linear(4, 16), nn.Dropout(0.5), nn.Linear(16, 1)

    def forward(self, x):
        x = self.drop(torch.relu(self.a(x)))
        return self.b(nn.Dropout(0.1).train(self.training)(x))


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.Adam(net.parameters())
for _ in range(3):
    loss = net(torch.randn(8, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
net.eval()
net.drop.train()
with torch.no_grad():
    x = torch.randn(8, 4)
    print(torch.stack([net(x) for _ in range(5)]).std(0))
