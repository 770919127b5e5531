import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        block = nn.Sequential(nn.Linear(4, 4), nn.Tanh())
        self.blocks = nn.ModuleList([block for _ in range(3)])

    def forward(self, x):
        for block in self.blocks:
            x = x + block(x)
        return x


hidden, layers = nn.Linear(4, 4), [nn.Linear(4, 4)]
for _ in range(2):
    layers += [hidden, nn.Tanh()]
net = nn.Sequential(Net(), *layers)
optimizer = torch.optim.Adam(net.parameters())
for _ in range(3):
    loss = net(torch.randn(8, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
