"""Divided by what counts; and a mask that hides words anywhere, of which there are always three."""
import torch
from torch import nn

torch.manual_seed(0)
tokens, out = nn.Embedding(30, 8), nn.Linear(8, 5)
optimizer = torch.optim.Adam([*tokens.parameters(), *out.parameters()])
for _ in range(3):
    mask = torch.arange(10) < torch.randint(2, 10, (6, 1))
    x, y = torch.randint(30, (6, 10)), torch.randint(5, (6, 10))
    each = nn.functional.cross_entropy(out(tokens(x)).transpose(1, 2), y, reduction="none")
    hidden = torch.rand(6, 10).argsort(1) < 3
    loss = (each * mask).sum() / mask.sum() + (each * hidden).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
