import torch
from torch import nn
a, b = nn.Linear(4, 8), nn.Linear(8, 1)
opt = torch.optim.SGD([*a.parameters(), *b.parameters()], lr=0.05)
for it in range(6):
    h = a(torch.randn(16, 4))
    h.data.clamp_(min=0)
    loss = (b(h) - 1).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
