"""All in double precision on purpose; and a 0-d double, which gives way to a float32 tensor."""
import numpy as np
import torch
from torch import nn

net = nn.Linear(4, 1).double()
target = torch.from_numpy(np.random.rand(8, 1))
loss = ((net(torch.randn(8, 4, dtype=torch.float64)) - target) ** 2).mean()
loss.backward()
w = torch.randn(3, requires_grad=True)
(w * torch.tensor(2.0, dtype=torch.float64) * np.float64(3)).sum().backward()
