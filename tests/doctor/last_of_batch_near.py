"""The last step of each sequence, and each sequence by itself."""
import torch
from torch import nn

torch.manual_seed(0)
first, lstm, head = nn.GRU(3, 8, batch_first=True), nn.LSTM(8, 8), nn.Linear(8, 2)
optimizer = torch.optim.Adam([*first.parameters(), *lstm.parameters(), *head.parameters()])
for _ in range(3):
    x, y = torch.randn(6, 5, 3), torch.randint(2, (6,))
    steps, _ = first(x)
    out, _ = lstm(steps.transpose(0, 1))
    loss = nn.functional.cross_entropy(head(steps[:, -1]), y)
    loss = loss + nn.functional.cross_entropy(head(out[-1]), y)
    for k in range(6):
        loss = loss + head(out[:, k]).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
