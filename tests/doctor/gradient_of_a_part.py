import torch

x = torch.ones(4, requires_grad=True)
x.pow(2).sum().backward()
print(x[0].grad)
