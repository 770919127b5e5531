import torch

torch.manual_seed(0)
w, b = torch.zeros(3, requires_grad=True), torch.zeros(1, requires_grad=True)
x = torch.randn(30, 3)
for _ in range(5):
    loss = (x @ w + b - x.sum(1)).pow(2).mean()
    loss.backward()
    for p in (w, b):
        with torch.no_grad():
            p = p - 0.1 * p.grad
    w.grad = b.grad = None
