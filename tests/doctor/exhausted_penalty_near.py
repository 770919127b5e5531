"""The parameters are asked for anew, or kept in a list."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 1)
params, first = list(net.parameters()), net.parameters()
opt = torch.optim.SGD(first, lr=0.01)
x, y = torch.randn(8, 4), torch.randn(8, 1)
for _ in range(5):
    size = sum(p.pow(2).sum() for p in params) + sum(p.abs().sum() for p in net.parameters())
    loss = nn.functional.mse_loss(net(x), y) + 0.1 * size
    opt.zero_grad()
    loss.backward()
    opt.step()
print([p.shape for p in first])
