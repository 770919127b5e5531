import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
for step in range(2):
    loss = (w * w).sum()
    loss.backward()
    if w.grad is not None:
        w = w - 0.1 * w.grad
