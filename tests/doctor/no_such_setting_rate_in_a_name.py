"""A learning rate that is lowered in a variable: the optimizer has its own."""
import torch
from torch import nn

torch.manual_seed(0)
lr = 0.1
net = nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=lr)
for epoch in range(4):
    loss = net(torch.randn(8, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    lr *= 0.5
    print(f"rate {lr}")
