"""An encoder and a decoder with teacher forcing and greedy decoding; truncated backward."""
import random

import torch
from torch import nn

torch.manual_seed(0)
random.seed(0)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb, self.rnn = nn.Embedding(12, 6), nn.GRU(6, 8, batch_first=True)

    def forward(self, ids, h):
        return self.rnn(self.emb(ids), h)


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb, self.cell, self.out = nn.Embedding(12, 6), nn.GRUCell(6, 8), nn.Linear(8, 12)

    def forward(self, token, h):
        h = self.cell(self.emb(token), h)
        return self.out(h), h


encoder, decoder = Encoder(), Decoder()
opts = [torch.optim.Adam(m.parameters()) for m in (encoder, decoder)]
criterion = nn.CrossEntropyLoss()
memory = torch.zeros(1, 4, 8)
total, count = 0, 0
for step in range(8):
    source, target = torch.randint(0, 12, (4, 5)), torch.randint(0, 12, (4, 5))
    for opt in opts:
        opt.zero_grad()
    memory = memory.detach()
    _, memory = encoder(source, memory)
    h, token, loss = memory[0], torch.zeros(4, dtype=torch.long), 0
    for t in range(5):
        scores, h = decoder(token, h)
        loss += criterion(scores, target[:, t])
        token = target[:, t] if random.random() < 0.5 else scores.argmax(1).detach()
    loss.backward()
    for opt in opts:
        opt.step()
    total += loss.item() / 5
    count += 1
print(total / count)
