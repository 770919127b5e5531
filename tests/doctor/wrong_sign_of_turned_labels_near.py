"""A contrastive loss by equal classes, and one by unequal classes."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Linear(5, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
for turn in range(6):
    i, j = torch.randint(0, 3, (16,)), torch.randint(0, 3, (16,))
    a, b = net(torch.randn(16, 5)), net(torch.randn(16, 5))
    distance = F.pairwise_distance(a, b)
    if turn % 2:
        same = (i == j).float()
        apart = (1 - same) * torch.clamp(1.0 - distance, min=0).pow(2)
        loss = (apart + same * distance.pow(2)).mean()
    else:
        unlike = (i != j).float()
        apart = unlike * F.relu(1.0 - distance).pow(2)
        loss = (apart + (1 - unlike) * distance.pow(2)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
