import torch
from torch import nn

net = nn.Sequential(nn.Linear(2, 20), nn.Tanh(), nn.Linear(20, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for it in range(4):
    x, t = torch.rand(32, 1, requires_grad=True), torch.rand(32, 1, requires_grad=True)
    u = net(torch.cat([x, t], 1))
    ones = torch.ones_like(u)
    u_t = torch.autograd.grad(u, t, ones, create_graph=True)[0]
    u_x = torch.autograd.grad(u, x, ones, create_graph=True)[0]
    u_xx = torch.autograd.grad(u_x, x, ones, retain_graph=True)[0]
    loss = (u_t + u * u_x - 0.01 * u_xx).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
