import torch
from torch import nn


class Trainer:
    def __init__(self, net):
        self.net, self.losses = net, []

    def step(self, x):
        self.losses.append(self.net(x).pow(2).mean())
        loss = sum(self.losses) / len(self.losses)
        loss.backward()


trainer = Trainer(nn.Linear(3, 1))
for _ in range(2):
    trainer.step(torch.ones(2, 3))
