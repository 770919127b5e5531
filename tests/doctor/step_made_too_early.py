import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 100))
optimizer = torch.optim.Adam(net.parameters())
net.requires_grad_(False)
net[2] = nn.Linear(16, 2)
for _ in range(4):
    loss = nn.functional.cross_entropy(net(torch.randn(4, 8)), torch.randint(2, (4,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
