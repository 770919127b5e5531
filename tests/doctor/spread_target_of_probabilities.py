import torch
from torch import nn
net = nn.Linear(3, 1); opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(32, 3), torch.randint(0, 2, (32,)).float()
for it in range(8):
    p = torch.sigmoid(net(x)).clamp(1e-6, 1 - 1e-6)
    loss = -(y * p.log() + (1 - y) * (1 - p).log()).mean()
    opt.zero_grad(); loss.backward(); opt.step()
