"""Steps that come first by transpose(), and windows cut out of one long series by view()."""
import torch
from torch import nn

torch.manual_seed(0)
rnn, head = nn.GRU(3, 8), nn.Linear(8, 2)
optimizer = torch.optim.Adam([*rnn.parameters(), *head.parameters()], lr=1e-3)
series = torch.randn(30, 3)
for _ in range(4):
    x, y = torch.randn(6, 5, 3), torch.randint(2, (6,))
    out, h = rnn(x.transpose(0, 1).contiguous())
    _, g = rnn(series.view(6, 5, 3).permute(1, 0, 2))
    loss = nn.functional.cross_entropy(head(h[-1] + g[-1]), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
