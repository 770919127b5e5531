"""F.dropout() that does not know of eval()."""
import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(4, 16), nn.Linear(16, 2)

    def forward(self, x):
        x = F.relu(self.first(x))
        x = F.dropout(x, 0.5)
        return self.second(x)


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    net.train()
    loss = F.cross_entropy(net(torch.randn(8, 4)), torch.arange(8) % 2)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    net.eval()
    with torch.no_grad():
        net(torch.randn(8, 4))
