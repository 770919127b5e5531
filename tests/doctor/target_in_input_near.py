"""The step after the window, each next step of it, and the window itself."""
import torch
from torch import nn

torch.manual_seed(0)
data = torch.sin(torch.arange(200) * 0.1) + 0.1 * torch.randn(200)
n = 10
windows = data.unfold(0, n + 1, 1)
lstm, last, every = nn.LSTM(1, 8, batch_first=True), nn.Linear(8, 1), nn.Linear(8, 1)
whole = nn.Sequential(nn.Linear(n, 3), nn.Tanh(), nn.Linear(3, n))
optimizer = torch.optim.Adam(
    [p for m in (lstm, last, every, whole) for p in m.parameters()])
for _ in range(2):
    for batch in torch.randperm(len(windows)).split(32):
        x, y = windows[batch, :n], windows[batch, n]
        out, _ = lstm(x[..., None])
        loss = nn.functional.mse_loss(last(out[:, -1]).squeeze(1), y)
        loss = loss + nn.functional.mse_loss(every(out).squeeze(2), windows[batch, 1:])
        loss = loss + nn.functional.mse_loss(whole(x), x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
