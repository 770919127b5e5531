"""out[:, -1] of an LSTM that takes its input for (time, batch, features)."""
import torch
from torch import nn

torch.manual_seed(0)
lstm, head = nn.LSTM(3, 8), nn.Linear(8, 2)
optimizer = torch.optim.Adam([*lstm.parameters(), *head.parameters()])
for _ in range(3):
    x, y = torch.randn(6, 5, 3), torch.randint(2, (6,))
    out, _ = lstm(x)
    loss = nn.functional.cross_entropy(head(out[:, -1]), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
