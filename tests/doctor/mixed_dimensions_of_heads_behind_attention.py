import torch
from torch import nn

q, k, v, out = (nn.Linear(8, 8) for _ in range(4))
optimizer = torch.optim.Adam([p for m in (q, k, v, out) for p in m.parameters()])
for _ in range(3):
    x = torch.randn(2, 5, 8)
    heads = [m(x).view(2, 5, 4, 2).transpose(1, 2) for m in (q, k, v)]
    mixed = nn.functional.scaled_dot_product_attention(*heads)
    loss = (out(mixed.contiguous().view(2, 5, 8)) - x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
