import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 3)
x = torch.tensor([[0.0, 1.0, 2.0]])
ratio = torch.where(x == 0, torch.zeros(1, 3), net(x) / x)
ratio.sum().backward()
