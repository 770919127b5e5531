import torch
x, y = torch.randn(20, 1), torch.randn(20, 1)
w = torch.randn(1, requires_grad=True)
for i in range(10):
    loss = ((x * w - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w.grad.zero_()
