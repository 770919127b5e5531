"""A strong weight decay that leaves something, and ridge regression, which has one layer only."""
import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(64, 5)
y = torch.sin(x[:, :1]) + x[:, 2:3]
net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.AdamW(net.parameters(), lr=0.01, weight_decay=1.0)
for _ in range(40):
    loss = nn.functional.mse_loss(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

ridge = nn.Linear(5, 1)
optimizer = torch.optim.SGD(ridge.parameters(), lr=0.01, weight_decay=50.0)
for _ in range(40):
    loss = nn.functional.mse_loss(ridge(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
