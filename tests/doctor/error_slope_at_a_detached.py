import torch
from torch import nn

critic, generator = nn.Linear(2, 1), nn.Linear(3, 2)
real, fake = torch.randn(8, 2), generator(torch.randn(8, 3))
between = 0.5 * real + 0.5 * fake.detach()
out = critic(between)
slope, = torch.autograd.grad(out.sum(), between, create_graph=True)
