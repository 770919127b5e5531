import torch
from torch import nn
enc, dec = nn.Linear(4, 4), nn.Linear(4, 4); scale = nn.Parameter(torch.ones(4))
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters(), scale], 1e-2)
for it in range(10):
    x = torch.randn(8, 4)
    h = enc(x) * scale if it >= 5 else enc(x)
    loss = (dec(h) - x).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
