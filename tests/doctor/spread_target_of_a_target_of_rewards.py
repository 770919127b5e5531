import torch
from torch import nn
torch.manual_seed(0)
q = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
opt = torch.optim.Adam(q.parameters(), lr=1e-3)
for step in range(10):
    s, a, r = torch.randn(32, 4), torch.randint(0, 2, (32, 1)), torch.randn(32, 1)
    s2, done = torch.randn(32, 4), torch.randint(0, 2, (32, 1)).float()
    with torch.no_grad():
        y = r + 0.99 * q(s2).max(1)[0] * (1 - done)
    pred = q(s).gather(1, a)
    loss = (pred - y).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
