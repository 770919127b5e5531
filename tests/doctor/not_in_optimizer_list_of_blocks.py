"""Blocks in a plain list, with several layers each: one finding, not one for each line."""
import torch
from torch import nn

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin, self.norm = nn.Linear(4, 4), nn.LayerNorm(4)
    def forward(self, x):
        x = self.lin(x)
        return self.norm(x)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks, self.head = [Block(), Block()], nn.Linear(4, 1)
    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x)
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    loss = net(torch.randn(8, 4)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
