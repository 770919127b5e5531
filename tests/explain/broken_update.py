import torch

w = torch.ones(2, requires_grad=True)
for step in range(2):
    loss = (w * w).sum()
    loss.backward()
    with torch.no_grad():
        w = w - 0.1 * w.grad
