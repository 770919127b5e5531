import torch

x = torch.ones(3, requires_grad=True)
y = x[0] * 2
torch.autograd.grad(y, x[0])
