import torch
from torch import nn
class Trainer:
    def __init__(self, model):
        self.model, self.opt, self.log = model, torch.optim.Adam(model.parameters(), 1e-2), {"loss": 0.0}
    def step(self, x, y):
        loss = nn.functional.mse_loss(self.model(x), y)
        self.opt.zero_grad(); loss.backward(); self.opt.step()
        self.log["loss"] += loss
        return self.log["loss"]
def main():
    t = Trainer(nn.Linear(3, 1))
    for ep in range(12): t.step(torch.randn(8, 3), torch.randn(8, 1))
main()
