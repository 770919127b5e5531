"""A trainer's penalty, whose factor is an attribute, by way of item()."""
import torch
from torch import nn

class Trainer:
    def __init__(self):
        self.net, self.l1 = nn.Linear(4, 1), 0.1
        self.opt = torch.optim.SGD(self.net.parameters(), lr=0.01)
    def step(self, x):
        loss = self.net(x).pow(2).mean()
        penalty = sum(p.abs().sum().item() for p in self.net.parameters())
        loss = loss + self.l1 * penalty
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
trainer = Trainer()
for _ in range(5):
    trainer.step(torch.randn(8, 4))
