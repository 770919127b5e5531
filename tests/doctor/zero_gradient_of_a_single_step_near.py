import torch
from torch import nn

Wx, Wh = nn.Parameter(torch.randn(3, 5) * 0.1), nn.Parameter(torch.randn(5, 5) * 0.1)
opt = torch.optim.SGD([Wx, Wh], lr=0.1)
for _ in range(8):
    h = torch.zeros(4, 5)
    h = torch.tanh(torch.randn(4, 3) @ Wx + h @ Wh)     # one step: Wh meets zeros alone
    loss = h.pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
