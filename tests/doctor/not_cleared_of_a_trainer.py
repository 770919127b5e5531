import torch
from torch import nn

torch.manual_seed(0)
class Trainer:
    def __init__(self, net):
        self.net, self.opt = net, torch.optim.SGD(net.parameters(), lr=0.01)
    def step(self, x):
        loss = self.net(x).pow(2).mean()
        loss.backward()
        self.opt.step()
trainer = Trainer(nn.Linear(4, 1))
for _ in range(5):
    trainer.step(torch.randn(8, 4))
