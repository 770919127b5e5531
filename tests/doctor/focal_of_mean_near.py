"""The weight of each example, of a mean with reduction="none", and of one example alone."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Linear(8, 4)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(6):
    errors = F.cross_entropy(net(torch.randn(16, 8)), torch.randint(0, 4, (16,)), reduction="none")
    single = F.cross_entropy(net(torch.randn(1, 8)), torch.randint(0, 4, (1,)))
    loss = sum(((1 - torch.exp(-e)) ** 2 * e).mean() for e in (errors, single))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
