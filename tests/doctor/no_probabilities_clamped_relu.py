import torch
from torch import nn

net = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 1), nn.ReLU())
optimizer = torch.optim.Adam(net.parameters())
for _ in range(3):
    x = torch.randn(8, 5)
    out, y = net(x).squeeze(1).clamp(max=1), (x[:, 0] > 0).float()
    loss = nn.functional.binary_cross_entropy(out, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
