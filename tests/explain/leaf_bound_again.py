import torch

W = torch.ones(3, 2, requires_grad=True)
z = torch.ones(1, 3) @ W
z.sum().backward()
print(z.grad)
z = torch.zeros(2)
