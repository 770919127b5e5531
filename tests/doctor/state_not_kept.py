import torch
from torch import nn


class Momentum(torch.optim.Optimizer):
    def __init__(self, params, lr=0.01):
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                state = self.state.get(p, {})
                if "v" not in state:
                    state["v"] = torch.zeros_like(p)
                state["v"].mul_(0.9).add_(p.grad)
                p.sub_(group["lr"] * state["v"])


net = nn.Linear(5, 1)
optimizer = Momentum(net.parameters())
for _ in range(4):
    loss = net(torch.randn(8, 5)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
