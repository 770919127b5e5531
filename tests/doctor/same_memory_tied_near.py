import torch
from torch import nn
enc, dec = nn.Embedding(10, 4), nn.Linear(4, 10, bias=False)
dec.weight = enc.weight
opt = torch.optim.Adam(enc.parameters(), lr=1e-2)
for it in range(6):
    i = torch.randint(0, 10, (8,))
    loss = nn.functional.cross_entropy(dec(enc(i)), i)
    opt.zero_grad(); loss.backward(); opt.step()
