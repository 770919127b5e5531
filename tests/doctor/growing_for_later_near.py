"""A sum over several tasks grows until its backward(); inner gradients are no turns of the loop."""
import torch

w = torch.ones(3, requires_grad=True)
for turn in range(3):
    total = 0
    for task in range(8):
        inner = (w * task).pow(2).sum()
        (g,) = torch.autograd.grad(inner, w)
        (h,) = torch.autograd.grad((w**3).sum(), w, create_graph=True)
        total = total + ((w - 0.1 * g) * h).sum()
    w.grad = None
    total.backward()
