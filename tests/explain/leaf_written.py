import torch

w = torch.ones(2, requires_grad=True)
(w * w).sum().backward()
w -= 0.1 * w.grad
