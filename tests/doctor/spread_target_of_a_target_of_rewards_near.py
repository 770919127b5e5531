"""All pairs, on purpose, and effects of rows that are fitted to a whole table."""
import torch
from torch import nn
torch.manual_seed(0)
# all pairs are meant: kernel matrix times a column of weights
net = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for it in range(6):
    x = torch.randn(20, 3)
    s = net(x)                                      # (20, 1)
    y = x.sum(1)
    diff = s - s.t()                                # RankNet: all pairs
    want = (y[:, None] > y[None]).float()
    loss = nn.functional.binary_cross_entropy_with_logits(diff, want)
    opt.zero_grad()
    loss.backward()
    opt.step()

table, rows = torch.randn(12, 1) + torch.randn(12), nn.Parameter(torch.zeros(12, 1))
opt = torch.optim.Adam([rows], lr=0.05)
for _ in range(6):
    loss = (rows - table).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
