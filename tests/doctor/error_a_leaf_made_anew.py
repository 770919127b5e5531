import torch

a = torch.tensor([2.0, 3.0]).requires_grad_()
for _ in range(3):
    (a**2).sum().backward()
    a = (a - 0.1 * a.grad).requires_grad_()
    a.grad.zero_()
