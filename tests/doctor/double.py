import numpy as np
import torch
from torch import nn

net = nn.Linear(4, 1)
target = torch.from_numpy(np.random.rand(8, 1))
pred = net(torch.randn(8, 4))
loss = ((pred - target) ** 2).mean()
loss.backward()
