import torch
from torch import nn
net = nn.Linear(4, 2); opt = torch.optim.SGD(net.parameters(), 0.1)
for it in range(8):
    if it == 4: opt.defaults["lr"] = 0.001
    loss = (net(torch.randn(8, 4)) - 1).pow(2).mean(); opt.zero_grad(); loss.backward(); opt.step()
