import torch
from torch import nn

lstm = nn.LSTM(4, 6)
zeros = torch.zeros(1, 5, 6)
out, _ = lstm(torch.randn(5, 3, 4), (zeros, zeros))
