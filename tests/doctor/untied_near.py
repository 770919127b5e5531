"""Weights that are shared again, untied by a copy, replaced in both places; a new head."""
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
train(Net())
again, copied, both = Net(), Net(), Net()
again.words = nn.Embedding(20, 4)
again.out.weight = again.words.weight
train(again)
copied.out.weight = nn.Parameter(copied.words.weight.detach().clone())
train(copied)
both.words, both.out = nn.Embedding(12, 4), nn.Linear(4, 12)
train(both)
headed = Net()
headed.out = nn.Linear(4, 12)
train(headed)
