"""Sums without a part that got lost: numbers, targets, x - x.detach(), a total that starts at 0."""
import torch
from torch import nn

net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
flood, shift = 0.1, torch.tensor(0.5)
for _ in range(5):
    x, y = torch.randn(8, 4), torch.randn(8, 1)
    loss = (net(x) - y).pow(2).mean()
    aux = net.weight.pow(2).sum()
    total = 0
    for part in (loss, 0.1 * (aux - aux.detach())):
        total = total + part
    total = (total - flood).abs() + flood + shift
    with torch.no_grad():
        best = net(x).max()
    error = best + 0.9 * best - net(x[:1]).sum()
    total = total + error.pow(2)
    opt.zero_grad()
    total.backward()
    opt.step()
