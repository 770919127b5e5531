"""Gradients that weigh losses, as constants; a penalty with its graph; one that is reported."""
import torch
from torch import nn

torch.manual_seed(0)
body, first, second = nn.Linear(4, 8), nn.Linear(8, 1), nn.Linear(8, 1)
optimizer = torch.optim.Adam([p for m in (body, first, second) for p in m.parameters()])
for _ in range(3):
    x = torch.randn(8, 4, requires_grad=True)
    h = torch.tanh(body(x))
    a, b = first(h).pow(2).mean(), (second(h) - 1).pow(2).mean()
    norms = [torch.autograd.grad(part, h, retain_graph=True)[0].norm() for part in (a, b)]
    weight = norms[0] / (norms[1] + 1e-4)
    (g,) = torch.autograd.grad(h.sum(), x, create_graph=True)
    penalty = (g.norm(dim=1) - 1).pow(2).mean()
    loss = a + weight * b + 0.1 * penalty
    print(loss.item() + weight.item())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
