import torch
from torch import nn

torch.manual_seed(0)
scale = torch.rand(16) + 0.5
order = torch.randperm(16)
net = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for step in range(6):
    x = torch.rand(16, 16)
    inputs = scale[order] * x                # a factor for each column, in another order
    loss = (net(inputs) - x[:, :1]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
