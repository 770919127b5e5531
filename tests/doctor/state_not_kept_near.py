"""Optimizers of a program: one that keeps its averages, one that goes uphill first."""
import torch
from torch import nn
from torch.nn import functional as F


class Momentum(torch.optim.Optimizer):
    def __init__(self, params, lr=0.01):
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                state = self.state[p]
                if not state:
                    state["v"] = torch.zeros_like(p)
                state["v"].mul_(0.9).add_(p.grad)
                p.sub_(group["lr"] * state["v"])


class Sharpness(torch.optim.Optimizer):
    def __init__(self, params, lr=0.05):
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def climb(self):
        for p in self.param_groups[0]["params"]:
            self.state[p]["old"] = p.clone()
            p.add_(p.grad, alpha=0.01)
        self.zero_grad()

    @torch.no_grad()
    def step(self):
        for p in self.param_groups[0]["params"]:
            p.copy_(self.state[p]["old"] - self.param_groups[0]["lr"] * p.grad)


torch.manual_seed(0)
net, other = nn.Linear(5, 1), nn.Linear(5, 1)
momentum, sharpness = Momentum(net.parameters()), Sharpness(other.parameters())
for _ in range(8):
    x = torch.randn(8, 5)
    momentum.zero_grad()
    F.mse_loss(net(x), x[:, :1]).backward()
    momentum.step()
    sharpness.zero_grad()
    F.mse_loss(other(x), x[:, :1]).backward()
    sharpness.climb()
    F.mse_loss(other(x), x[:, :1]).backward()
    sharpness.step()
