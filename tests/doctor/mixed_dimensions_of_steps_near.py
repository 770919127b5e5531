"""Turned around once more before the loss, or from the beginning."""
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
words, rnn, head = nn.Embedding(12, 8), nn.GRU(8, 8), nn.Linear(8, 12)
parts = nn.ModuleList([words, rnn, head])
optimizer = torch.optim.SGD(parts.parameters(), lr=0.1)
for _ in range(4):
    tokens = torch.randint(12, (6, 9))
    x, y = tokens[:, :-1], tokens[:, 1:]
    out, _ = rnn(words(x).transpose(0, 1))
    loss = F.cross_entropy(head(out).transpose(0, 1).reshape(-1, 12), y.reshape(-1))
    out, _ = rnn(words(x.t()))
    loss = loss + F.cross_entropy(head(out).reshape(-1, 12), y.t().reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
