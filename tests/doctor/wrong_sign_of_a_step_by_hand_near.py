"""Downhill; an attack on an input; a likelihood that shall grow; a step up that is taken back."""
import torch
from torch import nn

w, mu = torch.randn(3, requires_grad=True), torch.zeros(1, requires_grad=True)
net = nn.Linear(3, 1)
x = torch.randn(50, 3)
y = x @ torch.tensor([1.0, -2.0, 3.0])
shift = torch.full_like(x, 0.1).requires_grad_()
for _ in range(8):
    loss = ((x @ w - y) ** 2).mean()
    loss.backward()
    torch.distributions.Normal(mu, 1.0).log_prob(y).mean().backward()
    (net(x + shift) - y[:, None]).pow(2).mean().backward()
    with torch.no_grad():
        w -= 0.01 * w.grad
        mu += 0.1 * mu.grad
        shift += 0.1 * shift.grad
    w.grad = mu.grad = shift.grad = None
    net.zero_grad()
for _ in range(8):
    nn.functional.mse_loss(net(x), y[:, None]).backward()
    with torch.no_grad():
        up = [0.01 * p.grad for p in net.parameters()]
        torch._foreach_add_(list(net.parameters()), up)
    net.zero_grad()
    nn.functional.mse_loss(net(x), y[:, None]).backward()
    with torch.no_grad():
        for p, e in zip(net.parameters(), up):
            p -= e + 0.05 * p.grad
    net.zero_grad()
