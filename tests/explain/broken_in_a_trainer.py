import torch
from torch import nn


class Trainer:
    def __init__(self):
        self.model = nn.Linear(3, 1)

    def compute_loss(self, x):
        out = self.model(x)
        out = out.cpu().detach()
        return (out**2).mean()

    def step(self, x):
        loss = self.compute_loss(x)
        loss.backward()


Trainer().step(torch.ones(2, 3))
