import torch
from torch import nn

gru = nn.GRU(4, 6, batch_first=True)
out, h = gru(torch.randn(3, 5, 4), torch.zeros(1, 5, 6))
