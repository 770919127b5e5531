"""Weights that are shared at first: then the embedding gets new ones, or is made anew."""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.out = nn.Embedding(12, 4), nn.Linear(4, 12, bias=False)
        self.out.weight = self.words.weight

    def forward(self, x):
        return self.out(self.words(x))


def train(net):
    optimizer = torch.optim.Adam(net.parameters())
    for _ in range(3):
        x = torch.randint(12, (8,))
        loss = nn.functional.cross_entropy(net(x), (x + 1) % 12)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


torch.manual_seed(0)
net = Net()
net.words.weight = nn.Parameter(0.02 * torch.randn(12, 4))
train(net)
other = Net()
other.words = nn.Embedding(12, 4)
train(other)
