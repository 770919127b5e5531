import torch
x = torch.tensor(2.0, requires_grad=True)
y = torch.tensor(3.0, requires_grad=True)
z = x * y # MulBackward0
w = z + x # AddBackward0
out = w ** 2 # PowBackward0
print(f"out.grad_fn: {out.grad_fn}")
print(f"out.grad_fn.next_functions: {out.grad_fn.next_functions}")
