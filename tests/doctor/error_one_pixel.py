import torch
import torch.nn as nn
net = nn.Sequential(nn.Conv2d(3, 4, 4), nn.InstanceNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(4, 1))
opt = torch.optim.Adam(net.parameters())
for i in range(5):
    x = torch.randn(4, 3, 4, 4)
    loss = (net(x) - 1).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
