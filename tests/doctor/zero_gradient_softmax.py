import torch
from torch import nn
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1), nn.Softmax(dim=1))
opt = torch.optim.SGD(net.parameters(), lr=.1)
bce = nn.BCELoss()
for i in range(6):
    x = torch.randn(8, 4)
    loss = bce(net(x), (x[:, :1] > 0).float())
    opt.zero_grad()
    loss.backward()
    opt.step()
