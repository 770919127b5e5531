import torch
from torch import nn
torch.manual_seed(0)
W = nn.Parameter(torch.randn(32, 32) * 2)
opt = torch.optim.SGD([W], lr=0.1)
for i in range(3):
    h = torch.ones(1, 32)
    for t in range(60):
        h = h @ W
    loss = (h ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
