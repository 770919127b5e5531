import torch
from torch import nn
class Trainer:
    def __init__(self): self.model = None; self.build(); self.opt = torch.optim.SGD(self.model.parameters(), 0.1)
    def build(self): self.model = nn.Linear(3, 1)
    def fit(self):
        self.build()
        for it in range(6):
            loss = (self.model(torch.randn(8, 3)) - 1).pow(2).mean()
            self.opt.zero_grad(); loss.backward(); self.opt.step()
Trainer().fit()
