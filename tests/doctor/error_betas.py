import torch
from torch import nn

optimizer = torch.optim.Adam(nn.Linear(2, 1).parameters(), betas=(0, 0.9))
