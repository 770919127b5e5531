import torch
from torch import nn
net = nn.Linear(4, 1); opt = torch.optim.SGD(net.parameters(), 0.1)
for epoch in range(6):
    for i in range(5):
        loss = (net(torch.randn(8, 4)) - 1).pow(2).mean()
        opt.zero_grad()
        loss.backward()
    opt.step()
