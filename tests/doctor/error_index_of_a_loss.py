import torch
from torch import nn

loss = nn.Linear(3, 1)(torch.randn(4, 3)).mean()
print(loss.data[0])
