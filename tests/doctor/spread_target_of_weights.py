import torch
from torch import nn
net = nn.Linear(3, 1); opt = torch.optim.SGD(net.parameters(), lr=0.01)
for it in range(8):
    x, y = torch.randn(16, 3), torch.randn(16, 1)
    w = torch.rand(16)
    loss = (w * (net(x) - y) ** 2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
