import torch
from torch import nn

torch.manual_seed(0)
tokens, out = nn.Embedding(30, 8), nn.Linear(8, 5)
optimizer = torch.optim.Adam([*tokens.parameters(), *out.parameters()])
for _ in range(3):
    mask = torch.arange(10) < torch.randint(2, 10, (6, 1))
    x, y = torch.randint(30, (6, 10)) * mask, torch.randint(5, (6, 10)) * mask
    each = nn.functional.cross_entropy(out(tokens(x)).transpose(1, 2), y, reduction="none")
    loss = (each * mask).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
