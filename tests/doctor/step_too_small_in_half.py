import torch
from torch import nn
net = nn.Linear(4, 1).half(); opt = torch.optim.SGD(net.parameters(), 0.1)
for it in range(12):
    x = torch.randn(8, 4).half() * 1e-3
    loss = ((net(x) - 1e-3) ** 2).mean() * 1e-4
    opt.zero_grad(); loss.backward(); opt.step()
