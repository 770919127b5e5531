import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for epoch in range(6):
    total = 0
    opt.zero_grad()
    for x in torch.randn(4, 8, 4):
        total = total + (net(x) - x[:, :1]).pow(2).mean()
        total.backward(retain_graph=True)
    opt.step()
