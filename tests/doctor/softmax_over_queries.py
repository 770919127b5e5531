import torch
from torch import nn
q, k, v = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8); opt = torch.optim.Adam([*q.parameters(), *k.parameters(), *v.parameters()], 1e-3)
for it in range(5):
    x = torch.randn(4, 6, 8)
    att = torch.softmax(q(x) @ k(x).transpose(1, 2) / 8 ** 0.5, dim=1)
    loss = (att @ v(x)).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
