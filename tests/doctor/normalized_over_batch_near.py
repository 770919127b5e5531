"""Cosines of examples, of features over the batch, and a dictionary of columns of length 1."""
import torch
from torch import nn
from torch.nn import functional as F

net, words = nn.Linear(10, 8), nn.Parameter(torch.randn(10, 8))
optimizer = torch.optim.Adam([*net.parameters(), words])
for _ in range(4):
    x = torch.randn(16, 10)
    a, b = net(x), net(x + 0.1 * torch.randn_like(x))
    loss = F.cross_entropy(F.normalize(a, dim=1) @ F.normalize(b, dim=-1).t(), torch.arange(16))
    together = F.normalize(a - a.mean(0), dim=0).t() @ F.normalize(b - b.mean(0), dim=0)
    loss = loss + (together - torch.eye(8)).pow(2).mean()
    code = torch.relu(a)
    loss = loss + (F.normalize(code, dim=1) @ F.normalize(words, dim=0).t() - x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
