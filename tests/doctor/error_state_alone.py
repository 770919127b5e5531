import torch
from torch import nn
lstm = nn.LSTM(4, 8, batch_first=True)
h_0 = torch.zeros(1, 3, 8)
out, (h, c) = lstm(torch.randn(3, 5, 4), h_0)
