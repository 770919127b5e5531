import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

meta = nn.Sequential(nn.Linear(1, 16), nn.ReLU(), nn.Linear(16, 1))
outer = torch.optim.Adam(meta.parameters(), lr=1e-3)
for it in range(8):
    outer.zero_grad()
    total = 0
    for task in range(3):
        a = torch.rand(1) * 4
        fast = copy.deepcopy(meta)
        xs, xq = torch.randn(10, 1), torch.randn(10, 1)
        inner = F.mse_loss(fast(xs), a * torch.sin(xs))
        grads = torch.autograd.grad(inner, fast.parameters(), create_graph=True)
        with torch.no_grad():
            for p, g in zip(fast.parameters(), grads):
                p -= 0.01 * g
        total = total + F.mse_loss(fast(xq), a * torch.sin(xq))
    total.backward()
    outer.step()
