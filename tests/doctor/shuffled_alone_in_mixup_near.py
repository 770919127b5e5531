import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
X = torch.randn(96, 6)
Y = F.one_hot((X[:, 0] > 0).long(), 2).float()
net = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 2))
opt = torch.optim.Adam(net.parameters(), lr=0.01)

def mixup(x, y, alpha=0.4):
    lam = torch.distributions.Beta(alpha, alpha).sample()
    perm = torch.randperm(x.size(0))
    x = lam * x + (1 - lam) * x[perm]
    y = lam * y + (1 - lam) * y[perm]
    return x, y

for epoch in range(4):
    for i in range(0, 96, 24):
        xb, yb = mixup(X[i:i + 24], Y[i:i + 24])
        loss = F.cross_entropy(net(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
