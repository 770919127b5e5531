"""A language model whose targets are one place further on; an autoencoder of texts."""
import torch
from torch import nn

torch.manual_seed(0)
tokens, encoder = nn.Embedding(20, 16), nn.GRU(16, 16, batch_first=True)
decoder, out = nn.GRU(16, 16, batch_first=True), nn.Linear(16, 20)
optimizer = torch.optim.Adam([p for m in (tokens, encoder, decoder, out) for p in m.parameters()])
for _ in range(3):
    ids = torch.randint(20, (4, 8))
    states, last = encoder(tokens(ids))
    loss = nn.functional.cross_entropy(out(states)[:, :-1].reshape(-1, 20), ids[:, 1:].reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    _, code = encoder(tokens(ids))
    scores = out(decoder(torch.zeros(4, 8, 16), code)[0])
    loss = nn.functional.cross_entropy(scores.transpose(1, 2), ids)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
