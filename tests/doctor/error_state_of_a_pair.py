import torch
from torch import nn
gru = nn.GRU(4, 8, batch_first=True)
zeros = torch.zeros(1, 3, 8)
out, h = gru(torch.randn(3, 5, 4), (zeros, zeros))
