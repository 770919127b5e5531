import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(256, 8)
y = x.sum(1, keepdim=True)
for _ in range(30):
    loss = nn.functional.mse_loss(net(x), y, reduction="sum")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
