import torch
from torch import nn


class Descent(torch.optim.Optimizer):
    def __init__(self, params, lr):
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                p.add_(p.grad, alpha=group["lr"])


torch.manual_seed(0)
net = nn.Linear(3, 1)
optimizer = Descent(net.parameters(), lr=0.01)
for _ in range(12):
    x = torch.randn(16, 3)
    loss = nn.functional.mse_loss(net(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
