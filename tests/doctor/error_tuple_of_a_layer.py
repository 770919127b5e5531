import torch
from torch import nn
rnn, head = nn.LSTM(3, 8, batch_first=True), nn.Linear(8, 1)
out = rnn(torch.randn(4, 6, 3))
loss = head(out[:, -1]).pow(2).mean()
loss.backward()
