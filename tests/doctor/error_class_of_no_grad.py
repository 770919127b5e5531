import torch
from torch import nn

net = nn.Linear(4, 1)
with torch.no_grad:
    print(net(torch.randn(1, 4)))
