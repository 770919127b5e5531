import torch
from torch import nn

net = nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(2):
    pred = net(torch.randn(8, 4)).detach()
    loss = (pred**2).mean()
    loss.requires_grad = True
    loss.backward()
