import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
users, items = nn.Embedding(20, 8), nn.Embedding(30, 8)
opt = torch.optim.Adam([*users.parameters(), *items.parameters()], lr=1e-2)
for _ in range(6):
    u, i, j = torch.randint(0, 20, (32,)), torch.randint(0, 30, (32,)), torch.randint(0, 30, (32,))
    pos_score, neg_score = (users(u) * items(i)).sum(1), (users(u) * items(j)).sum(1)
    loss = -F.logsigmoid(pos_score - neg_score).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
