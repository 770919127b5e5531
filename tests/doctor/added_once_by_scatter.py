import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 6)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
group = torch.randint(0, 5, (30,))
for _ in range(4):
    x = torch.randn(30, 4)
    pooled = torch.zeros(5, 6).scatter(0, group[:, None].expand(-1, 6), net(x))
    loss = (pooled - 1).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
