import torch
from torch import nn
net = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1)); opt = torch.optim.Adam(net.parameters(), 1e-3)
t = torch.linspace(0, 1, 20)[:, None].requires_grad_()
def residual(p):
    u = net(p)
    (du,) = torch.autograd.grad(u, p, torch.ones_like(u), create_graph=True)
    return du + p * u
for it in range(12):
    loss = residual(t).pow(2).mean() + (net(torch.zeros(1, 1)) - 1).pow(2).sum()
    opt.zero_grad(); loss.backward(); opt.step()
