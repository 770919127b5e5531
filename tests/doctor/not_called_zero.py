"""A program without an optimizer, whose `zero_` is named and not called."""
import torch

torch.manual_seed(0)
w = torch.randn(3, 1, requires_grad=True)
for _ in range(6):
    x = torch.randn(16, 3)
    loss = (x @ w - x.sum(1, keepdim=True)).pow(2).mean()
    w.grad = None
    loss.backward()
    with torch.no_grad():
        w -= 0.05 * w.grad
        w.grad.zero_
