import torch
from torch import nn
net = nn.Linear(4, 4)
dec = nn.Linear(4, 4)
opt = torch.optim.SGD([*net.parameters(), *dec.parameters()], lr=.1)
for i in range(8):
    x = torch.randn(16, 4)
    z = torch.sigmoid(net(x))
    q = z + (z.round() - z).detach()
    loss = ((dec(q) - x) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
