import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
x = torch.stack([torch.rand(50) * 3000, torch.rand(50) * 5], 1)
y = x[:, :1] * 0.1
for _ in range(30):
    loss = nn.functional.mse_loss(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
