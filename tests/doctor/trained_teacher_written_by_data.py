import copy

import torch
from torch import nn
from torch.nn import functional as F

online, predictor = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 8)), nn.Linear(8, 8)
target = copy.deepcopy(online)
optimizer = torch.optim.Adam([*online.parameters(), *predictor.parameters()])
for _ in range(6):
    x = torch.randn(32, 10)
    z = F.normalize(target(x + 0.1 * torch.randn_like(x)), dim=1)
    p = F.normalize(predictor(online(x)), dim=1)
    loss = 2 - 2 * (p * z).sum(1).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    for t, o in zip(target.parameters(), online.parameters()):
        t.data.mul_(0.99).add_(o.data, alpha=0.01)
