import torch
from torch import nn
torch.manual_seed(0)
f = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 3))
opt = torch.optim.Adam(f.parameters(), lr=1e-3)
for i in range(6):
    x = torch.randn(10, 5)
    y = torch.arange(10) % 2
    e = f(x)
    sq = (e ** 2).sum(1)
    dist2 = sq[:, None] + sq[None, :] - 2 * e @ e.t()
    dist = dist2.sqrt()
    same = y[:, None] == y[None, :]
    pos = (dist * same).max(1).values
    neg = dist.masked_fill(same, 1e9).min(1).values
    loss = torch.relu(pos - neg + 1).mean()
    opt.zero_grad(); loss.backward(); opt.step()
