import torch
from doctor_layers import Stack
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 4), Stack(), nn.Linear(4, 1))
optimizer = torch.optim.Adam(net.parameters())
for _ in range(3):
    loss = net(torch.randn(8, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
