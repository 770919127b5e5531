import torch
from torch import nn

net = nn.Linear(3, 1)
torch.set_grad_enabled(False)
out = net(torch.ones(2, 3))
torch.set_grad_enabled(True)
out.sum().backward()
