import torch
import torch.nn as nn
net = nn.Linear(4, 1)
opt = torch.optim.Adam(net.parameters())
for i in range(10):
    x = torch.randn(8, 4)
    loss = (net(x) - 1).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if i % 1 == 0:
        opt.step()
