import torch

x = torch.tensor(3.0, requires_grad=True)
y = 2 * x
(g,) = torch.autograd.grad(y, x, create_graph=True)
torch.autograd.grad(g, x)
