"""Two views of an example made alike, and nothing else: SimSiam without its detach()."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net, head = nn.Linear(6, 4), nn.Linear(4, 4)
optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.05)
for _ in range(6):
    x = torch.randn(16, 6)
    a, b = net(x + 0.1 * torch.randn(16, 6)), net(x + 0.1 * torch.randn(16, 6))
    loss = -0.5 * F.cosine_similarity(head(a), b).mean()
    loss = loss - 0.5 * F.cosine_similarity(head(b), a).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
for _ in range(6):
    x = torch.randn(16, 6)
    loss = F.mse_loss(net(x), net(x + 0.1 * torch.randn(16, 6)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
