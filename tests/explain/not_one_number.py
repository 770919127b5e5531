import torch
from torch import nn

out = nn.Linear(3, 2)(torch.ones(4, 3))
out.backward()
