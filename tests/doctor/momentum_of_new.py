import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 8)
        self.norm = nn.BatchNorm1d(8, momentum=0.99)

    def forward(self, x):
        return self.norm(self.layer(x)).relu().mean(1)


net = Net()
optimizer = torch.optim.Adam(net.parameters())
for _ in range(3):
    loss = net(torch.randn(8, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
