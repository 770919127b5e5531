"""Steps first, and a mean over them; and numbers that are centred over the batch."""
import torch
from torch import nn

embedding, out = nn.Embedding(30, 16), nn.Linear(16, 2)
encoder = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0)
lstm = nn.LSTM(16, 16, batch_first=True)
optimizer = torch.optim.Adam([p for m in (embedding, encoder, lstm, out) for p in m.parameters()])
for _ in range(3):
    tokens, labels = torch.randint(0, 30, (4, 7)), torch.randint(0, 2, (4,))
    h = encoder(embedding(tokens.t())).mean(0)
    states, _ = lstm(embedding(tokens))
    states = states - states.mean(0, keepdim=True)
    loss = nn.functional.cross_entropy(out(h + states[:, -1]), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
