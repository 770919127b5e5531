import torch

x = torch.ones(3)
w = torch.ones(3, requires_grad=True)
x.retain_grad()
(w * x).sum().backward()
