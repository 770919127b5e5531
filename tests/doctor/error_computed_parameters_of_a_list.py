import torch
params = [torch.randn(3, 4, requires_grad=True) * 0.1 for _ in range(3)]
opt = torch.optim.SGD(params, lr=0.1)
