"""nn.TransformerEncoder without a mask, in a language model whose tokens are (T, B)."""
import torch
from torch import nn

torch.manual_seed(0)
layer = nn.TransformerEncoderLayer(8, 2, 16)
words, encoder, out = nn.Embedding(12, 8), nn.TransformerEncoder(layer, 1), nn.Linear(8, 12)
optimizer = torch.optim.Adam([*words.parameters(), *encoder.parameters(), *out.parameters()])
criterion = nn.CrossEntropyLoss(ignore_index=0)
for _ in range(3):
    texts = torch.randint(1, 12, (7, 4))
    texts[:2] = 0
    hidden = encoder(words(texts[:-1]))
    loss = criterion(out(hidden).reshape(-1, 12), texts[1:].reshape(-1)) / 2
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
