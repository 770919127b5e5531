import torch
from torch import nn

net = nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), 0.1)
for _ in range(5):
    loss = nn.functional.mse_loss(net(torch.randn(8, 3)), torch.randn(8, 1)),
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
