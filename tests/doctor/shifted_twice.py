import torch
from torch import nn
torch.manual_seed(0)
emb, gru, out = nn.Embedding(20, 16), nn.GRU(16, 32, batch_first=True), nn.Linear(32, 20)
opt = torch.optim.Adam([*emb.parameters(), *gru.parameters(), *out.parameters()], lr=1e-3)
for _ in range(8):
    seq = torch.randint(0, 20, (8, 16))
    x, y = seq[:, :-1], seq[:, 1:]
    logits = out(gru(emb(x))[0])
    logits, y = logits[:, :-1].reshape(-1, 20), y[:, 1:].reshape(-1)
    loss = nn.functional.cross_entropy(logits, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
