import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 5))
opt = torch.optim.Adam(net.parameters())
crit = nn.BCELoss()
for step in range(6):
    x, y = torch.randn(16, 8), (torch.rand(16, 5) > 0.5).float()
    loss = crit(torch.softmax(net(x), 1), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
