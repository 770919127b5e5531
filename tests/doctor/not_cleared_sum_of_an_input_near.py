import torch
x = torch.randn(3, requires_grad=True)
for k in range(4):
    ((x - k) ** 2).sum().backward()
print(x.grad)
