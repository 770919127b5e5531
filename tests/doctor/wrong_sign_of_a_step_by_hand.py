import torch

w, b = torch.randn(3, requires_grad=True), torch.zeros(1, requires_grad=True)
x = torch.randn(50, 3)
y = x @ torch.tensor([1.0, -2.0, 3.0]) + 0.5
for _ in range(8):
    loss = ((x @ w + b - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w += 0.01 * w.grad
        b += 0.01 * b.grad
    w.grad.zero_()
    b.grad.zero_()
