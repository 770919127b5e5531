import torch
w = torch.randn(3, requires_grad=True)
h = w * 2
loss = (h ** 2).sum()
loss.backward()
print(h.grad.norm())
