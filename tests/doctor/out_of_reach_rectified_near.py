import torch
from torch import nn

net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1), nn.ReLU())
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
for _ in range(4):
    x = torch.randn(32, 3)
    loss = nn.functional.mse_loss(net(x), x.norm(dim=1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
