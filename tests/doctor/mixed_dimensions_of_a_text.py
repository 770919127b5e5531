import torch
from torch import nn

embedding, lstm, out = nn.Embedding(12, 8), nn.LSTM(8, 16), nn.Linear(16, 12)
optimizer = torch.optim.Adam([p for m in (embedding, lstm, out) for p in m.parameters()])
criterion = nn.CrossEntropyLoss()
for _ in range(4):
    tokens = (torch.randint(12, (6, 1)) + torch.arange(10)) % 12
    given, wanted = tokens[:, :-1], tokens[:, 1:]
    scores = out(lstm(embedding(given.t()))[0])
    loss = criterion(scores.view(-1, 12), wanted.reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
