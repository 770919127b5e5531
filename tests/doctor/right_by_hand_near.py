"""Gradient descent without an optimizer, with the two ways to clear gradients, and by autograd.grad."""
import torch

torch.manual_seed(0)
x, y = torch.randn(16, 3), torch.randn(16, 1)
w, b = torch.randn(3, 1, requires_grad=True), torch.zeros(1, requires_grad=True)
for step in range(6):
    loss = ((x @ w + b - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        b -= 0.1 * b.grad
        w.grad.zero_()
        b.grad = None
v = torch.randn(3, 1, requires_grad=True)
for step in range(6):
    (g,) = torch.autograd.grad(((x @ v - y) ** 2).mean(), v)
    v = (v - 0.1 * g).detach().requires_grad_()
u = torch.randn(3, 1, requires_grad=True)
for step in range(6):
    ((x @ u - y) ** 2).mean().backward()
    u.data -= 0.1 * u.grad.data
    u.grad.data.zero_()
