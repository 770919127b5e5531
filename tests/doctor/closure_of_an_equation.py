"""A closure that asks for slopes and fills no .grad."""
import torch
from torch import nn

net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
first = torch.optim.Adam(net.parameters())
opt = torch.optim.LBFGS(net.parameters(), max_iter=3)
x = torch.rand(8, 1, requires_grad=True)
def loss_of():
    u = net(x)
    slope, = torch.autograd.grad(u.sum(), x, create_graph=True)
    return (slope - u).pow(2).mean()
loss_of().backward()
first.step()
def closure():
    opt.zero_grad()
    return loss_of()
for _ in range(3):
    opt.step(closure)
