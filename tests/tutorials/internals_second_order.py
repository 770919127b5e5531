import torch
x = torch.tensor(3.0, requires_grad=True)
y = x ** 3 # dy/dx = 3x^2 = 27
# First backward — retain graph for second-order computation
grad_x = torch.autograd.grad(y, x, create_graph=True)[0]
print(f"dy/dx = {grad_x.item()}") # 27
# Second backward — computes d²y/dx²
grad_x2 = torch.autograd.grad(grad_x, x)[0]
print(f"d²y/dx² = {grad_x2.item()}") # 6x = 18
