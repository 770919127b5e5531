import torch

torch.manual_seed(0)
x, y = torch.randn(64, 3), torch.randn(64)
w = torch.zeros(3, requires_grad=True)
for step in range(60):
    loss = (x @ w - y).pow(2).mean()
    (gradient,) = torch.autograd.grad(loss, w)
    w = w - 0.1 * gradient
print(w)
