import torch
from torch import nn
net = nn.Linear(1, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for it in range(6):
    xs, ys = torch.randn(10, 1), torch.randn(10, 1)
    inner = (net(xs) - ys).pow(2).mean()
    grads = torch.autograd.grad(inner, net.parameters(), create_graph=True)
    for p, g in zip(net.parameters(), grads):
        p.data = p.data - 0.1 * g
    outer = (net(torch.randn(10, 1)) - torch.randn(10, 1)).pow(2).mean()
    opt.zero_grad(); outer.backward(); opt.step()
