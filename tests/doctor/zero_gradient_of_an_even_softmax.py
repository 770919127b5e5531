import torch
from torch import nn

torch.manual_seed(0)
attention = nn.MultiheadAttention(8, 2, batch_first=True)
words, head = nn.Embedding(20, 8, padding_idx=0), nn.Linear(8, 2)
parts = nn.ModuleList([attention, words, head])
optimizer = torch.optim.SGD(parts.parameters(), lr=0.1)
tokens = torch.randint(1, 20, (6, 7))
tokens[:, 5:] = 0
y = torch.randint(2, (6,))
for _ in range(5):
    x = words(tokens)
    h, _ = attention(x, x, x, key_padding_mask=tokens != 0)
    loss = nn.functional.cross_entropy(head(h.mean(1)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
