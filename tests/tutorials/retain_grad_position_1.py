import torch

x = torch.randn(10, requires_grad=True)
y = x * 2
y.retain_grad() # Retain gradient of y before further computation
z = y + 3
loss = z.mean()
loss.backward()

print(y.grad)  # Gradient of y is correctly computed and available
