import torch
from torch import nn
net = nn.Sequential(nn.Linear(1, 20), nn.Tanh(), nn.Linear(20, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for it in range(10):
    x = torch.rand(32, 1, requires_grad=True)
    u = net(x)
    du = torch.autograd.grad(u, x, torch.ones_like(u), create_graph=True)[0]
    ddu = torch.autograd.grad(du, x, torch.ones_like(du), create_graph=True)[0]
    loss = (ddu + torch.sin(x)).pow(2).mean() + net(torch.zeros(1, 1)).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
