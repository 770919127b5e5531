import torch

x = torch.tensor([1.0], requires_grad=True)
y = x**2

# First-order gradient
y.backward()
print(x.grad) # Output: 2.0

# Second-order gradient (requires retaining the graph)
x.grad.zero_() # Reset gradient
y.backward(retain_graph=True)
x.grad.backward()
print(x.grad) # Output: 2.0 (derivative of 2x which is 2)
