import torch
x = torch.randn(3, requires_grad=True)
y = torch.tanh(x) * 2
J = torch.stack([torch.autograd.grad(y[i], x)[0] for i in range(3)])
