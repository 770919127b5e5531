import torch
from torch import nn

net = nn.Linear(4, 1)
with torch.no_grad():
    loss = net(torch.randn(8, 4)).mean()
loss.backward()
