import torch
from torch import nn

torch.manual_seed(0)
lstm, head = nn.LSTM(2, 3), nn.Linear(3, 1)
hidden = torch.zeros(1, 3), torch.zeros(1, 3)
for _ in range(10):
    out, hidden = lstm(torch.randn(4, 2), hidden)
    loss = head(out).pow(2).mean()
    lstm.zero_grad()
    head.zero_grad()
    loss.backward(retain_graph=True)
