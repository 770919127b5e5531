import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(2, 1, 8, 8)
mask = (x > 0).float()
net = nn.Conv2d(1, 1, 3, padding=1)
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
for _ in range(8):
    p = net(x).sigmoid()
    dice = (2 * (p * mask).sum() + 1) / (p.sum() + mask.sum() + 1)
    loss = dice
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
