import torch
from torch import nn
net = nn.Linear(4, 1); opt = torch.optim.Adam(net.parameters(), lr=0.01)
crit = nn.MarginRankingLoss(margin=0.1)
for it in range(8):
    a, b = torch.randn(32, 4), torch.randn(32, 4)
    better = (a[:, 0] > b[:, 0]).float()
    loss = crit(net(a).squeeze(1), net(b).squeeze(1), better)
    opt.zero_grad(); loss.backward(); opt.step()
