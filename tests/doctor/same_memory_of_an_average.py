"""An average of the parameters that begins with `p.data`, and so is the parameters."""
import torch
from torch import nn


class Average:
    def __init__(self, net):
        self.shadow = {name: p.data for name, p in net.named_parameters()}

    def update(self, net):
        for name, p in net.named_parameters():
            self.shadow[name].mul_(0.9).add_(p.data, alpha=0.1)


class Trainer:
    def __init__(self):
        self.net = nn.Linear(4, 1)
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.05)
        self.average = Average(self.net)

    def step(self, x):
        loss = (self.net(x) - x.sum(1, keepdim=True)).pow(2).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.average.update(self.net)


torch.manual_seed(0)
trainer = Trainer()
for _ in range(5):
    trainer.step(torch.randn(16, 4))
