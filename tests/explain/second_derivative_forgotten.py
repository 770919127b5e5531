import torch

x = torch.tensor(3.0, requires_grad=True)
y = x**3
(g,) = torch.autograd.grad(y, x)
torch.autograd.grad(g, x)
