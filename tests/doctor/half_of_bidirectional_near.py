"""The halves of both directions, each at its own end, and the states."""
import torch
from torch import nn

lstm = nn.LSTM(4, 8, batch_first=True, bidirectional=True)
last, other = nn.Linear(16, 3), nn.Linear(16, 3)
optimizer = torch.optim.Adam([p for m in (lstm, last, other) for p in m.parameters()])
for _ in range(4):
    out, (h, _) = lstm(torch.randn(8, 5, 4))
    ends = torch.cat([out[:, -1, :8], out[:, 0, 8:]], dim=1)
    scores = last(ends) + other(h.transpose(0, 1).reshape(8, -1)) + other(
        torch.cat([h[-2], h[-1]], dim=1))
    loss = nn.functional.cross_entropy(scores, torch.randint(3, (8,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
