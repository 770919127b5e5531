import torch
w = torch.randn(3, 1, requires_grad=True) * 0.01
x = torch.randn(10, 3)
for i in range(5):
    loss = ((x @ w) ** 2).mean()
    loss.backward()
    w = w - 0.1 * w.grad
