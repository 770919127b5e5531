"""Scaled columns; windows of a rising series, each scaled by itself; and rows of one unit."""
import torch
from torch import nn

torch.manual_seed(0)
table = torch.rand(40, 4) * torch.tensor([1.0, 100.0, 5.0, 0.1])
series = torch.linspace(0, 5, 48) + 0.05 * torch.randn(48)
windows = series.unfold(0, 8, 1)[:40]
signals = torch.randn(40, 6)
tables = [(table - table.mean(0)) / table.std(0)]
tables += [(t - t.mean(1, keepdim=True)) / t.std(1, keepdim=True) for t in (windows, signals)]
for x in tables:
    net = nn.Linear(x.shape[1], 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    for _ in range(5):
        loss = nn.functional.mse_loss(net(x), x[:, :1] * x[:, 1:2])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
