"""relu of features that a cross entropy compares; of a regression's result that is a count."""
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
left, right = (nn.Sequential(nn.Linear(6, 8), nn.ReLU()) for _ in range(2))
count = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 1), nn.ReLU())
optimizer = torch.optim.Adam([*left.parameters(), *right.parameters(), *count.parameters()])
for _ in range(3):
    x = torch.rand(10, 6)
    u, v = F.normalize(left(x), dim=-1), F.normalize(right(x), dim=-1)
    loss = F.cross_entropy(10 * u @ v.T, torch.arange(10))
    loss = loss + F.mse_loss(count(x), x[:, :1] * 3)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
