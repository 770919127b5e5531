import torch

w = torch.randn(4, requires_grad=True)
for step in range(3):
    loss = (w * w).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
