"""Weights that make up for the counts, chosen weights, and counts that are nearly even."""
import torch
from torch import nn

torch.manual_seed(0)
X, y = torch.randn(400, 6), (torch.rand(400) < 0.1).long()
even = torch.randint(0, 2, (400,))
counts, nearly = torch.bincount(y).float(), torch.bincount(even).float()
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
criteria = [nn.CrossEntropyLoss(weight=counts.sum() / counts), nn.CrossEntropyLoss(
    weight=torch.tensor([1.0, 0.5])), nn.CrossEntropyLoss(weight=nearly / nearly.sum())]
binary = nn.BCEWithLogitsLoss(pos_weight=counts[0] / counts[1])
opt = torch.optim.Adam(net.parameters())
for epoch in range(3):
    for b in torch.randperm(400).split(50):
        out = net(X[b])
        first, second, third = (c(out, t[b]) for c, t in zip(criteria, (y, y, even)))
        loss = first + second + third + binary(out[:, 1], y[b].float())
        opt.zero_grad()
        loss.backward()
        opt.step()
