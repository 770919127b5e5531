"""Rates with log_input=False, and their logarithms."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(6):
    x, counts = torch.randn(32, 4), torch.poisson(torch.ones(32, 1) * 3)
    loss = F.poisson_nll_loss(F.softplus(net(x)), counts, log_input=False)
    loss = loss + F.poisson_nll_loss(net(x), counts) + nn.PoissonNLLLoss(False)(net(x).exp(), counts)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
