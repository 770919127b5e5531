import torch

W = torch.ones(3, 2, requires_grad=True)
z = torch.ones(1, 3) @ W
loss = z.sum()
loss.backward()
print(z.grad)
