import torch
from torch import nn
torch.manual_seed(0)
X = torch.randn(400, 6)
y = (torch.rand(400) < 0.1).float()
pw = (y == 1).sum() / (y == 0).sum()
net = nn.Linear(6, 1)
crit = nn.BCEWithLogitsLoss(pos_weight=pw)
opt = torch.optim.Adam(net.parameters())
for epoch in range(3):
    for b in torch.randperm(400).split(50):
        loss = crit(net(X[b]).squeeze(1), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
