import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
crit = nn.BCEWithLogitsLoss()
for _ in range(4):
    x = torch.randn(8, 4)
    y = (x[:, 0] > 0)
    opt.zero_grad()
    loss = crit(net(x), y)
    loss.backward()
    opt.step()
