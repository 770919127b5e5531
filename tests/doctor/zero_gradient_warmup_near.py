import torch
from torch import nn
enc, aux = nn.Linear(4, 4), nn.Linear(4, 2)
opt = torch.optim.Adam([*enc.parameters(), *aux.parameters()])
for i in range(8):
    x = torch.randn(8, 4)
    beta = 0.0 if i < 6 else 1.0
    h = enc(x)
    loss = h.pow(2).mean() + beta * aux(h).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
