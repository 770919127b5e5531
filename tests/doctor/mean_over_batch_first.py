import torch
from torch import nn

lstm, out = nn.LSTM(3, 8, batch_first=True), nn.Linear(8, 1)
optimizer = torch.optim.Adam([*lstm.parameters(), *out.parameters()])
for _ in range(3):
    x = torch.randn(5, 5, 3)
    loss = (out(lstm(x)[0].mean(0)) - x.sum((1, 2)).unsqueeze(1)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
