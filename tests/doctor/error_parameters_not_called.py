import torch
from torch import nn

optimizer = torch.optim.Adam(nn.Linear(2, 2).parameters)
