import torch
from torch import nn

torch.manual_seed(0)
decoder, embedding, last = nn.GRUCell(16, 16), nn.Embedding(12, 16), nn.Linear(16, 12)
optimizer = torch.optim.Adam(
    [p for m in (decoder, embedding, last) for p in m.parameters()])
for _ in range(3):
    target, h, loss = torch.randint(12, (8, 5)), torch.zeros(8, 16), 0
    for t in range(5):
        h = decoder(embedding(target[:, t]), h)
        loss = loss + nn.functional.cross_entropy(last(h), target[:, t])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
