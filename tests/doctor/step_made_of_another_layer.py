import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 10)

    def forward(self, x):
        return self.fc(x)


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.Adam(net.parameters())
net.fc = nn.Linear(4, 2)
for _ in range(4):
    loss = nn.functional.cross_entropy(net(torch.randn(8, 4)), torch.randint(2, (8,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
