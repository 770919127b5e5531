import torch
from torch import nn
net = nn.Linear(6, 1); opt = torch.optim.SGD(net.parameters(), lr=0.1)
for it in range(8):
    real = net.weight.data.clone()
    net.weight.data.sign_()
    loss = (net(torch.randn(8, 6)) - 1).pow(2).mean()
    opt.zero_grad(); loss.backward()
    net.weight.data.copy_(real)
    opt.step()
