import torch

x = torch.ones(3, requires_grad=True)
y = x.exp()
first, second = y.sum(), (y * y).sum()
first.backward()
second.backward()
