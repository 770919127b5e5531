import torch
from torch import nn

torch.manual_seed(0)
words, out = nn.Embedding(20, 8), nn.Linear(8, 20, bias=False)
out.weight = words.weight
for layer in (words, out):
    layer.weight = nn.Parameter(torch.randn(20, 8) * 0.02)
optimizer = torch.optim.Adam([*words.parameters(), *out.parameters()])
for _ in range(3):
    ids = torch.randint(20, (4, 9))
    loss = nn.functional.cross_entropy(out(words(ids[:, :-1])).transpose(1, 2), ids[:, 1:])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
