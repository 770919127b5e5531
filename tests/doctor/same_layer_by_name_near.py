"""Copies; a layer that is shared by its name, or that the network has too; one list of networks."""
import copy

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        block = nn.Linear(4, 4)
        shared_block = nn.Linear(4, 4)
        self.head = nn.Linear(4, 4)
        self.blocks = nn.ModuleList([copy.deepcopy(block) for _ in range(3)])
        self.again = nn.ModuleList([shared_block for _ in range(3)])
        self.heads = nn.ModuleList([self.head for _ in range(3)])

    def forward(self, x):
        for block, again, head in zip(self.blocks, self.again, self.heads):
            x = x + head(again(block(x)))
        return x


net, clients = Net(), []
for _ in range(3):
    clients.append(net)
optimizer = torch.optim.Adam(net.parameters())
for client in clients:
    loss = client(torch.randn(8, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
