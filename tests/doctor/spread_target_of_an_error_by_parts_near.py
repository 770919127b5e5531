import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
rank = torch.arange(8.0)
for _ in range(5):
    x = torch.randn(8, 4)
    score = net(x)
    pairs = score.unsqueeze(1).squeeze(2) - score.squeeze(1)
    above = torch.where(rank[:, None] > rank, nn.functional.softplus(-pairs), 0.0)
    err = (score.squeeze(1) - x.sum(1)).abs()
    loss = above.mean() + torch.where(err < 1, 0.5 * err**2, err - 0.5).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
