import torch
from torch import nn
net = nn.Linear(4, 2); opt = torch.optim.SGD(net.parameters(), lr=0.05)
x, y = torch.randn(32, 4), torch.randint(0, 2, (32,))
for it in range(6):
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
old = {n: p.detach().clone() for n, p in net.named_parameters()}
net.zero_grad(); nn.functional.cross_entropy(net(x), y).backward()
fisher = {n: p.grad.detach() ** 2 for n, p in net.named_parameters()}
opt.zero_grad()
for it in range(6):
    loss = nn.functional.cross_entropy(net(torch.randn(32, 4)), y)
    loss = loss + 100 * sum((fisher[n] * (p - old[n]) ** 2).sum() for n, p in net.named_parameters())
    opt.zero_grad(); loss.backward(); opt.step()
