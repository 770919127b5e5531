"""A batch drawn once for each step, and boundary points that are drawn anew beside it."""
import torch
from torch import nn
torch.manual_seed(0)
x = torch.rand(50, 2)
y = torch.sin(x.sum(1, keepdim=True) * 3)
net = nn.Sequential(nn.Linear(2, 20), nn.Tanh(), nn.Linear(20, 1))
opt = torch.optim.LBFGS(net.parameters(), history_size=10, line_search_fn="strong_wolfe")
history = []
for epoch in range(4):
    idx = torch.randperm(50)[:40]                  # drawn once for each step
    def closure():
        opt.zero_grad()
        loss = nn.functional.mse_loss(net(x[idx]), y[idx])
        loss = loss + net(torch.rand(5, 2) - 1).pow(2).mean()
        loss.backward()
        history.append(loss.item())
        return loss
    opt.step(closure)
