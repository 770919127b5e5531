import torch
from torch import nn
net = nn.Sequential(nn.Linear(1, 20), nn.Tanh(), nn.Linear(20, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for it in range(20):
    x = torch.rand(32, 1, requires_grad=True)
    u = net(x)
    du = torch.autograd.grad(u.sum(), x, retain_graph=True)[0]
    bc = net(torch.zeros(1, 1)).pow(2).mean()
    loss = (du - torch.cos(x)).pow(2).mean() + bc
    opt.zero_grad()
    loss.backward()
    opt.step()
