import torch
from torch import nn

torch.manual_seed(0)
encoder, decoder = nn.GRU(12, 16, batch_first=True), nn.GRUCell(16, 16)
embedding, last = nn.Embedding(12, 16), nn.Linear(16, 12)
optimizer = torch.optim.Adam(
    [p for m in (encoder, decoder, embedding, last) for p in m.parameters()])
for _ in range(3):
    source = torch.randint(12, (8, 5))
    target = source.flip(1)
    h, scores = encoder(nn.functional.one_hot(source, 12).float())[1][0], []
    for t in range(5):
        h = decoder(embedding(target[:, t]), h)
        scores.append(last(h))
    loss = nn.functional.cross_entropy(torch.stack(scores, 1).flatten(0, 1), target.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
