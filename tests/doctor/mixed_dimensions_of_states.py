import torch
from torch import nn

gru, last = nn.GRU(4, 8, batch_first=True, bidirectional=True), nn.Linear(16, 3)
optimizer = torch.optim.Adam([*gru.parameters(), *last.parameters()])
for _ in range(4):
    _, h = gru(torch.randn(6, 5, 4))
    scores = last(h.view(6, -1))
    loss = nn.functional.cross_entropy(scores, torch.randint(3, (6,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
