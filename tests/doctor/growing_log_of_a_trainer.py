"""What is a number already needs no item() in the cure."""
import torch
from torch import nn

class Trainer:
    def __init__(self):
        self.net, self.log = nn.Linear(4, 2), []
        self.opt = torch.optim.SGD(self.net.parameters(), lr=0.1)
    def train(self):
        for _ in range(9):
            loss = self.net(torch.randn(8, 4)).pow(2).mean()
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            self.log.append((loss.item(), loss))
def main():
    trainer = Trainer()
    trainer.train()
main()
