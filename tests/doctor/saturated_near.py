"""Scaled pixels, a normalization, relu, and the sigmoid of a last layer of large data."""
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
x = torch.randint(256, (64, 28)).float()
y = (x.mean(1) > 127).float().unsqueeze(1)
scaled = nn.Sequential(nn.Linear(28, 16), nn.Tanh(), nn.Linear(16, 1))
normed = nn.Sequential(nn.BatchNorm1d(28), nn.Linear(28, 16), nn.Sigmoid(), nn.Linear(16, 1))
rectified = nn.Sequential(nn.Linear(28, 16), nn.ReLU(), nn.Linear(16, 1))
logistic = nn.Linear(28, 1)
networks = nn.ModuleList([scaled, normed, rectified, logistic])
optimizer = torch.optim.SGD(networks.parameters(), lr=1e-4)
for _ in range(8):
    loss = sum(F.binary_cross_entropy_with_logits(net(data), y)
               for net, data in ((scaled, x / 255), (normed, x), (rectified, x)))
    loss = loss + F.binary_cross_entropy(logistic(x).sigmoid(), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
