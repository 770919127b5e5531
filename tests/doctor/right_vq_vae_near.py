import torch
import torch.nn as nn
enc, dec = nn.Linear(6, 4), nn.Linear(4, 6)
book = nn.Embedding(8, 4)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters(), *book.parameters()], lr=1e-3)
for i in range(10):
    x = torch.randn(16, 6)
    z = enc(x)
    d = torch.cdist(z, book.weight)
    idx = d.argmin(1)
    q = book(idx)
    loss = (q - z.detach()).pow(2).mean() + 0.25 * (z - q.detach()).pow(2).mean()
    q = z + (q - z).detach()
    loss = loss + (dec(q) - x).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
