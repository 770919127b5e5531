import torch
from torch import nn
torch.manual_seed(0)
# class imbalance: the weights are given the wrong way round (frequency instead of inverse)
X = torch.randn(400, 6)
y = (torch.rand(400) < 0.05).long()
freq = torch.bincount(y).float() / len(y)
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
crit = nn.CrossEntropyLoss(weight=freq)
opt = torch.optim.Adam(net.parameters())
for epoch in range(3):
    for b in torch.randperm(400).split(50):
        loss = crit(net(X[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
