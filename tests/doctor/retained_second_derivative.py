import torch
from torch import nn
net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for it in range(6):
    x = torch.rand(16, 2, requires_grad=True)
    u = net(x)
    du = torch.autograd.grad(u.sum(), x, create_graph=True)[0]
    speed = du.detach().norm(dim=1, keepdim=True)
    loss = (u * speed).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
