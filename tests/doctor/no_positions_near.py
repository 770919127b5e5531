"""Sets, tokens that are read one by one, positions of three kinds, and a causal mask."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
T = 8
tokens = nn.Embedding(10, 16)
layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.1, batch_first=True)
places, sines = nn.Parameter(torch.randn(T, 16)), torch.randn(T, 16)
table, out = nn.Embedding(T, 16), nn.Linear(16, 10)
parts = nn.ModuleList([tokens, layer, table, out])
optimizer = torch.optim.Adam([*parts.parameters(), places], lr=1e-3)
causal = nn.Transformer.generate_square_subsequent_mask(T)
for _ in range(5):
    x = torch.randint(0, 10, (16, T))
    h = tokens(x)
    one_by_one = out(h)
    answers = [out(layer(h + places)), out(layer(h + sines)), out(layer(h + table(torch.arange(T)))),
               out(layer(h * sines)), out(layer(h, src_mask=causal)), one_by_one]
    loss = sum(F.cross_entropy(a.transpose(1, 2), x.flip(1)) for a in answers)
    loss = loss + F.cross_entropy(out(layer(h)).transpose(1, 2), (x + x.sum(1, keepdim=True)) % 10)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
