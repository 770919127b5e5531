import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for i in range(8):
    x = torch.randn(16, 3)
    y = x.abs().sum(1, keepdim=True)
    pred = net(x)
    loss = ((pred - y).abs() ** 1.5).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
