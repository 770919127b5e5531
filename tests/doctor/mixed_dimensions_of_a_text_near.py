"""Texts whose steps come first, flattened in the order of the output; and a window of a text."""
import torch
from torch import nn

embedding, lstm, out = nn.Embedding(12, 8), nn.LSTM(8, 16), nn.Linear(16, 12)
optimizer = torch.optim.Adam([p for m in (embedding, lstm, out) for p in m.parameters()])
criterion = nn.CrossEntropyLoss()
corpus = (torch.randint(12, (1, 6)) + torch.arange(54)[:, None]) % 12
for k in range(4):
    tokens = (torch.randint(12, (6, 1)) + torch.arange(10)) % 12
    given, wanted = tokens[:, :-1], tokens[:, 1:]
    scores = out(lstm(embedding(given.t()))[0])
    loss = criterion(scores.view(-1, 12), wanted.t().reshape(-1))
    loss = loss + criterion(scores.transpose(0, 1).reshape(-1, 12), wanted.reshape(-1))
    scores = out(lstm(embedding(corpus[9 * k:9 * k + 9]))[0])
    wanted = corpus[9 * k + 1:9 * k + 10].reshape(-1)
    loss = loss + criterion(scores.view(-1, 12), wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
