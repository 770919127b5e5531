import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1), nn.Softplus())
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(6):
    rate = net(torch.randn(32, 4))
    counts = torch.poisson(torch.ones(32, 1) * 3)
    loss = nn.functional.poisson_nll_loss(rate, counts)
    opt.zero_grad()
    loss.backward()
    opt.step()
