"""Slopes that are differentiated, and others that are constants on purpose."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
actor, critic = nn.Linear(3, 2), nn.Linear(2, 1)
optimizer = torch.optim.Adam([*net.parameters(), *actor.parameters()], lr=0.01)
for p in critic.parameters():
    p.requires_grad_(False)
for _ in range(4):
    t = torch.rand(16, 1, requires_grad=True)
    u = net(t)
    slope = torch.autograd.grad(u.sum(), t, create_graph=True)[0]
    loss = (slope + u).pow(2).mean()
    action = actor(torch.randn(8, 3))
    leaf = action.detach().requires_grad_()
    (g,) = torch.autograd.grad(critic(leaf).sum(), leaf)
    loss = loss - (g * action).sum(1).mean()
    loss = loss + 0.5 * (action - (action - g).detach()).pow(2).sum()
    noise = torch.randn(16, 1, requires_grad=True)
    (g,) = torch.autograd.grad(net(noise).sum(), noise)
    loss = loss + net((noise + g).detach()).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
