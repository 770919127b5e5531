"""Positions of the steps, in both orders, a vector for each example, and a mask that is right."""
import torch
from torch import nn

torch.manual_seed(0)
table, embedding, kind = torch.randn(100, 1, 16), nn.Embedding(20, 16), nn.Embedding(4, 16)
first = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), 1)
other = nn.TransformerEncoderLayer(16, 2, 32)
last = nn.Linear(16, 2)
optimizer = torch.optim.Adam(
    [p for m in (embedding, kind, first, other, last) for p in m.parameters()])
for _ in range(3):
    tokens = torch.randint(1, 20, (6, 9))
    tokens[torch.arange(9) >= torch.randint(4, 9, (6, 1))] = 0
    padding = tokens == 0
    h = embedding(tokens) + table[:tokens.size(1)].transpose(0, 1)
    h = first(h + kind(torch.randint(4, (6,)))[:, None], src_key_padding_mask=padding)
    h = h.transpose(0, 1)
    h = other(h + table[:h.size(0)], src_key_padding_mask=padding)
    loss = nn.functional.cross_entropy(last(h.mean(0)), (tokens[:, 0] > 9).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
