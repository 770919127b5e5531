import torch
from torch import nn
net = nn.Sequential(nn.Linear(4, 8), nn.Dropout(.5), nn.Linear(8, 3)).eval()
for i in range(8):
    x = torch.randn(1, 4, requires_grad=True)
    score = net(x)[0, 1]
    (g,) = torch.autograd.grad(score, x)
    net.zero_grad()
    net(x)[0, 0].backward()
    print(x.grad.abs().max().item() > 0, g.shape)
