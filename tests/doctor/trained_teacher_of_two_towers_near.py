"""Two towers, of a source and of a target, which learn together."""
import torch
from torch import nn
from torch.nn import functional as F

source, target = nn.Linear(8, 4), nn.Linear(8, 4)
for p in [*source.parameters(), *target.parameters()]:
    p.data.normal_(0, 0.1)
optimizer = torch.optim.Adam([*source.parameters(), *target.parameters()])
for _ in range(6):
    x = torch.randn(16, 8)
    a, b = F.normalize(source(x)), F.normalize(target(x + 0.1 * torch.randn(16, 8)))
    loss = F.cross_entropy(a @ b.t() / 0.1, torch.arange(16)) + (a - b).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
