import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.linear = nn.LayerNorm(4), nn.Linear(4, 4)

    def forward(self, x):
        self.norm(x)
        return x + self.linear(x)


torch.manual_seed(0)
net = nn.Sequential(Block(), Block(), nn.Linear(4, 1))
opt = torch.optim.Adam(net.parameters())
for step in range(6):
    loss = net(torch.randn(8, 4)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
