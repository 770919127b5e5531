"""Targets that are the input, moved once; and a second head that looks two tokens ahead."""
import torch
from torch import nn

torch.manual_seed(0)
emb, gru = nn.Embedding(20, 16), nn.GRU(16, 32, batch_first=True)
out, second = nn.Linear(32, 20), nn.Linear(32, 20)
opt = torch.optim.Adam(nn.ModuleList([emb, gru, out, second]).parameters(), lr=1e-3)
loss_of = nn.CrossEntropyLoss()
for step in range(8):
    seq = torch.randint(0, 20, (8, 16))
    h = gru(emb(seq))[0]
    loss = loss_of(out(h)[:, :-1].reshape(-1, 20), seq[:, 1:].reshape(-1))
    if step % 2:
        x, y = seq[:, :-1], seq[:, 1:]
        h = gru(emb(x))[0]
        loss = loss_of(out(h).transpose(1, 2), y) + 0.3 * loss_of(
            second(h)[:, :-1].reshape(-1, 20), y[:, 1:].reshape(-1))
    opt.zero_grad()
    loss.backward()
    opt.step()
