import torch
alphas, t = torch.linspace(0.9, 0.1, 10), torch.randint(0, 10, (6,))
x = torch.rand(6, 1, 8, 8)
noised = alphas[t] * x
