import torch
from torch import nn
from torch.nn import functional as F

net = nn.Linear(4, 3)
loss = F.cross_entropy(net(torch.randn(8, 4)), torch.arange(8) % 3 + 1)
