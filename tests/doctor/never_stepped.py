import torch
from torch import nn
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=.1)
for i in range(10):
    loss = net(torch.randn(8, 3)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
