import torch
from torch import nn

net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), 0.1)
loss = 0
for epoch in range(3):
    for x in torch.ones(2, 4, 3):
        loss += net(x).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
