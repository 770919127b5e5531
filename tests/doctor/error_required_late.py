import torch

x = torch.randn(3)
y = (x * 2).sum()
x.requires_grad_(True)
y.backward()
