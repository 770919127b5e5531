import torch

x = torch.ones(2, requires_grad=True) * 2
loss = (x * x).sum()
loss.backward()
print(x.grad)
