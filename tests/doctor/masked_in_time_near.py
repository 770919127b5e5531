import torch
from torch import nn
q, k, v = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8)
opt = torch.optim.Adam([*q.parameters(), *k.parameters(), *v.parameters()], lr=1e-3)
mask = torch.tril(torch.ones(6, 6))
for it in range(5):
    x = torch.randn(4, 6, 8)
    scores = q(x) @ k(x).transpose(1, 2) / 8 ** 0.5
    hidden = torch.softmax(scores.masked_fill(mask == 0, float("-inf")), dim=-1)
    shared = torch.softmax(scores, dim=-1) * mask
    shared = shared / shared.sum(-1, keepdim=True)
    loss = ((hidden + nn.functional.dropout(shared, 0.1)) @ v(x) - 1).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
