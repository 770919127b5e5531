import torch
from torch import nn
gru = nn.GRU(4, 8, num_layers=2, batch_first=True)
h_0 = torch.zeros(3, 2, 8)
out, h = gru(torch.randn(3, 5, 4), h_0)
