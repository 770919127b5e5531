import torch

x, W = torch.randn(8, 4), torch.randn(5, 3, requires_grad=True)
y = x @ W
