import torch

w = torch.ones(2, requires_grad=True); w[0] = 5.0  # noqa: E702
