import torch
from torch import nn
torch.manual_seed(0)
X = torch.randn(200, 5); y = (X.sum(1) > 0).long()
net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.Adam(net.parameters())
for epoch in range(3):
    for i in range(0, 200, 40):
        xb, yb = X[torch.randperm(200)[:40]], y[torch.randperm(200)[:40]]
        loss = nn.functional.cross_entropy(net(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
