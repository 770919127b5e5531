import torch
from torch import nn
emb, enc, back = nn.Conv2d(3, 8, 4, 4), nn.Linear(8, 8), nn.Conv2d(8, 1, 1)
opt = torch.optim.Adam([*emb.parameters(), *enc.parameters(), *back.parameters()], lr=1e-3)
for it in range(3):
    h = emb(torch.randn(4, 3, 16, 16))
    tokens = enc(h.flatten(2).transpose(1, 2))
    image = tokens.transpose(1, 2).reshape(4, 8, 4, 4)
    loss = back(image).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
