import torch
from torch import nn

torch.manual_seed(0)
conv, lstm, out = nn.Conv1d(4, 8, 3, padding=1), nn.LSTM(8, 16, batch_first=True), nn.Linear(16, 3)
opt = torch.optim.Adam([*conv.parameters(), *lstm.parameters(), *out.parameters()])
for _ in range(4):
    x = torch.randn(16, 4, 12)
    h = conv(x).relu()
    h = h.transpose(1, 2)
    last = lstm(h)[0][:, -1]
    loss = nn.functional.cross_entropy(out(last), x[:, :3].mean(2).argmax(1))
    opt.zero_grad()
    loss.backward()
    opt.step()
