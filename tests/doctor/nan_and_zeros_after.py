import torch
from torch import nn
enc = nn.Linear(8, 4)
opt = torch.optim.SGD(enc.parameters(), lr=0.01)
x = torch.randn(16, 8)
for it in range(10):
    a = enc(x); p = enc(x); n = enc(x[torch.randperm(16)])
    dp = torch.sqrt(((a - p) ** 2).sum(1))
    dn = torch.sqrt(((a - n) ** 2).sum(1) + 1e-8)
    loss = torch.clamp(dp - dn + 1.0, min=0).mean()
    opt.zero_grad(); loss.backward(); opt.step()
