import torch
x = torch.randn(3, requires_grad=True)
y = x * 2
y.register_hook(lambda g: g.sum())
y.sum().backward()
