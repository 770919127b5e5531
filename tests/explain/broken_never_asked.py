import torch

W = torch.ones(3, 2)
b = torch.zeros(1, 2)
loss = (torch.ones(1, 3) @ W + b).sum()
loss.backward()
