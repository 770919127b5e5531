"""u_t - k * u_xx: only the second slope was computed without create_graph=True."""
import torch
from torch import nn
from torch.autograd import grad

net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for _ in range(3):
    x, t = (torch.rand(8, 1, requires_grad=True) for _ in range(2))
    u = net(torch.cat([x, t], 1)).sum()
    u_t, = grad(u, t, create_graph=True)
    u_x, = grad(u, x, create_graph=True)
    u_xx, = grad(u_x.sum(), x, retain_graph=True)
    loss = (u_t - 0.1 * u_xx).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
