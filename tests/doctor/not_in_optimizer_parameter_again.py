import torch
from torch import nn
q = nn.Parameter(torch.randn(4))
opt = torch.optim.Adam([q], lr=0.05)
target = torch.tensor([1.0, 0, 0, 0])
for it in range(30):
    loss = ((q - target) ** 2).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    q = nn.Parameter(q / q.norm())
print(q)
