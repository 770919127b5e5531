import torch
from torch import nn

net = nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
loss = net(torch.randn(4, 3)).pow(2).mean()
optimizer.step(loss)
