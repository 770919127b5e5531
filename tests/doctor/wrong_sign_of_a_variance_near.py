"""Logarithms of likelihoods, written in several ways."""
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
s = nn.Parameter(torch.zeros(()))
opt2 = torch.optim.Adam([s], lr=1e-2)
for _ in range(10):
    x = torch.randn(32, 4)
    mu, lv = net(x).chunk(2, 1)
    e = (x[:, :1] - mu) ** 2
    loss = (0.5 * e / lv.exp() + 0.5 * lv).mean() + (e * torch.exp(-lv) + lv).mean()
    loss = loss + (0.5 * e * torch.exp(-2 * lv) + lv).mean()
    loss = loss + 0.5 * torch.exp(-s) * e.mean() + 0.5 * s - (-0.5 * e / lv.exp() - 0.5 * lv).mean()
    loss = loss + nn.functional.gaussian_nll_loss(mu, x[:, :1], lv.exp())
    loss = loss - torch.distributions.Normal(mu, (0.5 * lv).exp()).log_prob(x[:, :1]).mean()
    opt.zero_grad()
    opt2.zero_grad()
    loss.backward()
    opt.step()
    opt2.step()
