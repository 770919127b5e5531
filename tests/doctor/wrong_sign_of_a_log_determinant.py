"""A flow whose log-determinant is subtracted, where it is to be added."""
import torch
from torch import nn

torch.manual_seed(0)
nets = [nn.Linear(1, 2), nn.Linear(1, 2)]
optimizer = torch.optim.Adam([p for net in nets for p in net.parameters()], lr=1e-2)
for _ in range(8):
    a, b = torch.randn(32, 2).mul(0.3).chunk(2, dim=1)
    log_det = torch.zeros(32)
    for net in nets:
        s, t = net(a).chunk(2, dim=1)
        a, b = b * torch.exp(s) + t, a
        log_det = log_det + s.sum(1)
    base = -0.5 * torch.cat([a, b], 1).pow(2).sum(1)
    log_prob = base - log_det
    loss = -log_prob.mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
