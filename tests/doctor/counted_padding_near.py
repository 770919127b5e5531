"""Padding that the loss ignores, that is masked afterwards, and classes that are no words."""
import torch
from torch import nn

torch.manual_seed(0)
F = nn.functional
net = nn.Sequential(nn.Embedding(12, 8, padding_idx=0), nn.Linear(8, 12))
tags = nn.Linear(8, 5)
optimizer = torch.optim.Adam([*net.parameters(), *tags.parameters()])
weight = torch.ones(12)
weight[0] = 0
for _ in range(3):
    texts = torch.randint(1, 12, (4, 7))
    texts[1, 4:] = texts[2, 5:] = 0
    wanted = texts[:, 1:].flatten()
    loss = F.cross_entropy(net(texts[:, :-1]).flatten(0, 1), wanted, ignore_index=0)
    loss = loss + F.cross_entropy(net(texts[:, :-1]).flatten(0, 1), wanted, weight)
    each = F.cross_entropy(net(texts[:, :-1]).transpose(1, 2), texts[:, 1:], reduction="none")
    loss = loss + each[texts[:, 1:] != 0].mean()
    loss = loss + F.cross_entropy(tags(net[0](texts)).flatten(0, 1), texts.flatten() % 5)
    loss = loss + F.cross_entropy(net(texts[:, :-1]).flatten(0, 1),
                                  wanted.masked_fill(wanted == 0, -100))
    loss = loss + F.cross_entropy(net(texts[1, :1])[0], texts[1, 1])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
