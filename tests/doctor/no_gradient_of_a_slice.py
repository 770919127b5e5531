import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
x = torch.randn(50, 4)
for _ in range(5):
    features = net[:2](x).data
    loss = (net[2:](features) - x[:, :1]).abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
