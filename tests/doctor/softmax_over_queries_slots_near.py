"""Slots that compete for inputs, and take their mean; linear attention."""
import torch
from torch import nn
q, k, v = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8)
opt = torch.optim.Adam([*q.parameters(), *k.parameters(), *v.parameters()], lr=1e-3)
slots = torch.randn(4, 3, 8)
for it in range(5):
    x = torch.randn(4, 6, 8)
    share = torch.softmax(q(slots) @ k(x).transpose(1, 2) / 8 ** 0.5, dim=1)
    share = share / share.sum(-1, keepdim=True)
    linear = torch.softmax(q(x), -1) @ (torch.softmax(k(x), 1).transpose(1, 2) @ v(x))
    loss = (share @ v(x)).pow(2).mean() + (linear - 1).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
