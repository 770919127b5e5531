import torch
from torch import nn

torch.manual_seed(0)
x = torch.rand(50, 1) * 10
net = nn.Linear(1, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(10):
    loss = nn.functional.mse_loss(net(x), 3 * x + 2)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
