"""Embeddings of users and of items that both begin with zeros."""
import torch
from torch import nn

users, items, bias = nn.Embedding(9, 4), nn.Embedding(7, 4), nn.Embedding(9, 1)
nn.init.zeros_(users.weight)
nn.init.zeros_(items.weight)
opt = torch.optim.Adam([*users.parameters(), *items.parameters(), *bias.parameters()], lr=0.01)
for _ in range(6):
    u, v = torch.randint(0, 9, (8,)), torch.randint(0, 7, (8,))
    rating = (users(u) * items(v)).sum(1) + bias(u).squeeze(1)
    loss = (rating - torch.rand(8)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
