"""Losses that are all computed first, and looked at one after the other."""
import torch

torch.manual_seed(0)
z = torch.randn(4, requires_grad=True)
losses = [(z * k).sin().sum() for k in range(1, 13)]
for loss in losses:
    (gradient,) = torch.autograd.grad(loss, z)
    print(gradient.norm())
