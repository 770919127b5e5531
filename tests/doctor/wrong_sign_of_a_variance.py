import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(10):
    x = torch.randn(32, 4)
    mu, lv = net(x).chunk(2, 1)
    loss = (0.5 * (x[:, :1] - mu) ** 2 / lv.exp() - 0.5 * lv).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
