"""A decoder that is given the token before, and texts that are read first and written then."""
import torch
from torch import nn

torch.manual_seed(0)
reader, writer = nn.GRUCell(16, 16), nn.GRUCell(16, 16)
embedding, last = nn.Embedding(12, 16), nn.Linear(16, 12)
optimizer = torch.optim.Adam(
    [p for m in (reader, writer, embedding, last) for p in m.parameters()])
for _ in range(3):
    text, h, loss = torch.randint(1, 12, (8, 5)), torch.zeros(8, 16), 0
    for t in range(5):
        h = reader(embedding(text[:, t]), h)
    token, state, scores = torch.zeros(8, dtype=torch.long), h, []
    for t in range(5):
        h = writer(embedding(token), h)
        loss = loss + nn.functional.cross_entropy(last(h), text[:, t])
        token = text[:, t]
    for t in range(5):
        state = writer(torch.zeros(8, 16), state)
        scores.append(last(state))
    loss = loss + nn.functional.cross_entropy(torch.stack(scores, 1).flatten(0, 1), text.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
