import torch

x = torch.randn(10, requires_grad=True)
y = x * 2
z = y + 3
y.retain_grad() # Retain gradient AFTER computation
loss = z.mean()
loss.backward()

print(y.grad)  # Raises a RuntimeError: Trying to access freed memory
