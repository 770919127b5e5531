import torch
from torch import nn
net = nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(32, 2); y = (x[:, 0] > 0).float()
for it in range(10):
    out = net(x).squeeze(1)
    loss = torch.clamp(1 - y * out, min=0).mean()
    opt.zero_grad(); loss.backward(); opt.step()
