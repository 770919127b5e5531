import torch
from torch import nn

torch.manual_seed(0)
data = torch.sin(torch.arange(200) * 0.1) + 0.1 * torch.randn(200)
n = 10
x = torch.stack([data[i:i + n] for i in range(len(data) - n)])[..., None]
y = torch.stack([data[i + n - 1] for i in range(len(data) - n)])
lstm, last = nn.LSTM(1, 8, batch_first=True), nn.Linear(8, 1)
optimizer = torch.optim.Adam([*lstm.parameters(), *last.parameters()])
for _ in range(3):
    for batch in torch.randperm(len(x)).split(32):
        out, _ = lstm(x[batch])
        loss = nn.functional.mse_loss(last(out[:, -1]).squeeze(1), y[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
