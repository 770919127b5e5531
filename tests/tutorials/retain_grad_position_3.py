import torch

x = torch.randn(1, requires_grad=True)
y = x**2
y.retain_grad()
z = y**2
loss = z
loss.backward()
print("First backprop:", y.grad)
y.grad.zero_() # Clear gradients to demonstrate separate accumulation
loss.backward()
print("Second backprop:", y.grad)
