import torch
from torch import nn

attention, norm, last = nn.MultiheadAttention(12, 3), nn.LayerNorm(12), nn.Linear(12, 4)
optimizer = torch.optim.Adam([p for m in (attention, norm, last) for p in m.parameters()])
for _ in range(4):
    x = torch.randn(16, 7, 12)
    h = norm(x + nn.functional.dropout(attention(x, x, x)[0], 0.1))
    scores = last(h.mean(dim=1))
    loss = nn.functional.cross_entropy(scores, torch.randint(4, (16,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
