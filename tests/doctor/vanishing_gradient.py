import torch
from torch import nn
torch.manual_seed(0)
layers = []
for _ in range(40):
    layers += [nn.Linear(8, 8), nn.Sigmoid()]
net = nn.Sequential(*layers, nn.Linear(8, 1))
opt = torch.optim.SGD(net.parameters(), lr=.1)
for i in range(6):
    loss = net(torch.randn(8, 8)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
