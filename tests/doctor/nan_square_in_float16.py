import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(8, 1).half()
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for i in range(4):
    x = (torch.rand(16, 8) * 200).half()
    y = (torch.rand(16, 1) * 500).half()
    pred = net(x)
    loss = ((pred - y) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
