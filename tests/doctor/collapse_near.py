"""SimSiam, a reconstruction with a consistency beside it, labelled pairs, and two networks."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net, head, other, words = nn.Linear(6, 4), nn.Linear(4, 4), nn.Linear(4, 6), nn.Linear(6, 4)
parts = [p for part in (net, head, other, words) for p in part.parameters()]
optimizer = torch.optim.SGD(parts, lr=0.05)
for turn in range(24):
    x = torch.randn(16, 6)
    a, b = net(x), net(x + 0.1 * torch.randn(16, 6))
    if turn % 4 == 0:
        loss = -F.cosine_similarity(head(a), b.detach()).mean()
    elif turn % 4 == 1:
        loss = F.mse_loss(other(a), x) + 0.1 * F.mse_loss(a, b)
    elif turn % 4 == 2:
        label = torch.randint(0, 2, (16,)) * 2.0 - 1
        loss = -(label * F.cosine_similarity(a, b[torch.randperm(16)])).mean()
    else:
        loss = 1 - F.cosine_similarity(net(x), words(x.flip(1))).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
