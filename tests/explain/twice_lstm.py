import torch
from torch import nn

lstm = nn.LSTM(2, 3)
hidden = torch.zeros(1, 3), torch.zeros(1, 3)
for step in range(2):
    out, hidden = lstm(torch.ones(4, 2), hidden)
    out.sum().backward()
