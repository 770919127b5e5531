"""The mean and the deviation of the training set for both; and the training set is measured too."""
import torch
from torch import nn
torch.manual_seed(0)
X = torch.randn(300, 6) * torch.arange(1, 7) + 4
y = X[:, 0] - 0.5 * X[:, 3] + 0.1 * torch.randn(300)
perm = torch.randperm(300)
tr, te = perm[:240], perm[240:]
mu, sd = X[tr].mean(0), X[tr].std(0)
Xtr, Xte = (X[tr] - mu) / sd, (X[te] - mu) / sd
net = nn.Sequential(nn.Linear(6, 16), nn.GELU(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for epoch in range(6):
    net.train()
    for b in torch.randperm(240).split(60):
        loss = nn.functional.mse_loss(net(Xtr[b]).squeeze(-1), y[tr][b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    with torch.inference_mode():
        print(nn.functional.mse_loss(net(Xte).squeeze(-1), y[te]).item())
        print(nn.functional.mse_loss(net(Xtr).squeeze(-1), y[tr]).item())
