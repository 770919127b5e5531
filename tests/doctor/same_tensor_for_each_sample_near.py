"""A copy of what was filled, a tensor that all samples share, and rows that are drawn twice."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, RandomSampler


class Noisy(Dataset):
    def __init__(self, n):
        self.data, self.filled, self.shared = torch.randn(n, 6), torch.zeros(6), torch.ones(6)

    def __len__(self):
        return len(self.data)

    def __getitem__(self, i):
        self.filled.copy_(self.data[i] + 0.1 * torch.randn(6))
        return self.filled.clone(), self.shared, self.data[i].sum().gt(0).long()


data, net = Noisy(64), nn.Linear(6, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(2):
    data.shared = torch.full((6,), 1.0 + epoch)
    for x, scale, y in DataLoader(data, batch_size=16, shuffle=True):
        loss = nn.functional.cross_entropy(net(x * scale), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


class Ring(Dataset):
    def __init__(self, n):
        self.rows = torch.randn(n, 6)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


ring = Ring(3)
for k in range(9):
    ring.rows[k % 3] = torch.randn(6)
    drawn = RandomSampler(ring, replacement=True, num_samples=8)
    for x in DataLoader(ring, batch_size=2, sampler=drawn):
        loss = net(x).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
