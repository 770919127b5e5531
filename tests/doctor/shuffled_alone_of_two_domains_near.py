"""Two domains: the one with labels has one order for both, the other has an order of its own."""
import torch
from torch import nn

torch.manual_seed(0)
source, target = torch.randn(40, 4), torch.randn(40, 4) + 1
labels = (source[:, 0] > 0).long()
features, classes, domains = nn.Linear(4, 8), nn.Linear(8, 2), nn.Linear(8, 2)
parts = nn.ModuleList([features, classes, domains])
optimizer = torch.optim.Adam(parts.parameters(), lr=1e-3)
which = torch.cat([torch.zeros(20), torch.ones(20)]).long()
for epoch in range(3):
    order = torch.randperm(40)
    source, labels = source[order], labels[order]
    target = target[torch.randperm(40)]
    for i in range(0, 40, 20):
        s, t = features(source[i:i + 20]), features(target[i:i + 20])
        loss = nn.functional.cross_entropy(classes(s), labels[i:i + 20])
        loss = loss + nn.functional.cross_entropy(domains(torch.cat([s, t])), which)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
