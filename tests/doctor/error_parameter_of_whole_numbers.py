import torch
from torch import nn

scale = nn.Parameter(torch.tensor([1, 2, 3]))
