import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.last = nn.GRUCell(2, 16), nn.Linear(16, 1)

    def forward(self, x):
        h = torch.zeros(len(x), 16)
        for t in range(x.shape[1]):
            h = h.detach()
            h = self.cell(x[:, t], h)
        return self.last(h)


net = Net()
optimizer = torch.optim.Adam(net.parameters())
for _ in range(4):
    x = torch.randn(16, 8, 2)
    loss = (net(x) - x[:, 0, :1]).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
