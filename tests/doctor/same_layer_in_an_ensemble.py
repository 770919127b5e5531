import torch
from torch import nn
models = [nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))] * 3
opts = [torch.optim.SGD(m.parameters(), 0.01) for m in models]
for it in range(6):
    x, y = torch.randn(8, 4), torch.randn(8, 1)
    for m, o in zip(models, opts):
        loss = (m(x) - y).pow(2).mean(); o.zero_grad(); loss.backward(); o.step()
