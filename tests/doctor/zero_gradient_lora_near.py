import torch
from torch import nn
base = nn.Linear(8, 8)
base.requires_grad_(False)
A = nn.Parameter(torch.randn(2, 8) * .1)
B = nn.Parameter(torch.zeros(8, 2))
opt = torch.optim.Adam([A, B], lr=1e-2)
for i in range(10):
    x, y = torch.randn(16, 8), torch.randn(16, 8)
    loss = ((base(x) + x @ A.T @ B.T - y) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
