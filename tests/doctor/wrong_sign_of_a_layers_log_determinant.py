"""A flow of two layers, one of which gives its log-determinant with the wrong sign."""
import torch
from torch import nn

torch.manual_seed(0)
mean, log_scale, net = nn.Parameter(torch.zeros(2)), nn.Parameter(torch.zeros(2)), nn.Linear(1, 2)
optimizer = torch.optim.Adam([mean, log_scale, *net.parameters()], lr=1e-2)
prior = torch.distributions.Normal(0.0, 1.0)
for _ in range(8):
    x = torch.randn(32, 2) * 3 + 1
    x = (x - mean) * torch.exp(-log_scale)
    first = log_scale.sum()
    a, b = x.chunk(2, dim=1)
    s, t = net(a).chunk(2, dim=1)
    z = torch.cat([a, b * torch.exp(s) + t], 1)
    second = s.sum(1)
    loss = -(prior.log_prob(z).sum(1) + (first + second)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
