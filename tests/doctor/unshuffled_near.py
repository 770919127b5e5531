"""Shuffled data; and two domains by turns, each of which has one label."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
y = torch.arange(4).repeat_interleave(16)
data = DataLoader(TensorDataset(torch.randn(64, 3) + y[:, None], y), batch_size=8, shuffle=True)
net, judge = nn.Linear(3, 4), nn.Linear(3, 2)
optimizer = torch.optim.SGD([*net.parameters(), *judge.parameters()], lr=0.1)
for _ in range(2):
    for x, labels in data:
        loss = nn.functional.cross_entropy(net(x), labels)
        for domain in (0, 1):
            of_domain = torch.full((8,), domain)
            loss = loss + nn.functional.cross_entropy(judge(x + domain), of_domain)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
