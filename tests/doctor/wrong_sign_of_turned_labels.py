"""A contrastive loss whose label means the opposite."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Linear(5, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
for _ in range(3):
    i, j = torch.randint(0, 3, (16,)), torch.randint(0, 3, (16,))
    a, b = net(torch.randn(16, 5)), net(torch.randn(16, 5))
    same = (i == j).float()
    distance = F.pairwise_distance(a, b)
    apart = same * torch.clamp(1.0 - distance, min=0).pow(2)
    loss = (apart + (1 - same) * distance.pow(2)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
