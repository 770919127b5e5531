import torch
from torch import nn

torch.manual_seed(0)
embedding, last = nn.Embedding(30, 16), nn.Linear(16, 2)
encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), 1)
optimizer = torch.optim.Adam(
    [p for m in (embedding, encoder, last) for p in m.parameters()])
for _ in range(4):
    tokens = torch.randint(1, 30, (8, 10))
    tokens[torch.arange(10) >= torch.randint(4, 9, (8, 1))] = 0
    h = encoder(embedding(tokens), src_key_padding_mask=tokens != 0)
    loss = nn.functional.cross_entropy(last(h[:, 0]), (tokens[:, 1] > 15).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
