"""Scaled by the numbers of the training set, and measured by a sum over batches."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
raw = torch.randn(60, 3) * torch.tensor([1.0, 10.0, 0.1]) + 2
y = (raw[:, 0] > 2).long()
x = (raw - raw[:40].mean(0)) / raw[:40].std(0)
train, test = TensorDataset(x[:40], y[:40]), TensorDataset(x[40:], y[40:])
net = nn.Linear(3, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
for _ in range(2):
    net.train()
    for a, b in DataLoader(train, 20, shuffle=True):
        loss = nn.functional.cross_entropy(net(a), b)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    net.eval()
    with torch.no_grad():
        right = sum((net(a).argmax(1) == b).sum().item() for a, b in DataLoader(test, 10))
