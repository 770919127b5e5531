import torch

x = torch.ones(3, requires_grad=True)
y = x * 1
z = y * y
y[0] = 5.0
z.sum().backward()
