import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
X = torch.randn(96, 6)
Y = (X[:, 0] > 0).long()
net = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 2))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for epoch in range(4):
    for i in range(0, 96, 24):
        x, y = X[i:i + 24], Y[i:i + 24]
        lam = float(torch.distributions.Beta(0.4, 0.4).sample())
        perm = torch.randperm(24)
        out = net(lam * x + (1 - lam) * x[perm])
        loss = (1 - lam) * F.cross_entropy(out, y) + lam * F.cross_entropy(out, y[perm])
        opt.zero_grad()
        loss.backward()
        opt.step()
