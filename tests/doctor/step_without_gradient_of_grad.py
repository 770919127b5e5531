import torch
from torch import nn

net = nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for _ in range(10):
    loss = net(torch.randn(8, 4)).pow(2).mean()
    optimizer.zero_grad()
    grads = torch.autograd.grad(loss, net.parameters())
    optimizer.step()
