import torch
from torch import nn


class Quantize(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.round()

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * (x.abs() < 1)


x = torch.randn(3, requires_grad=True)
h = x * 1
y = Quantize.apply(h)
h.zero_()
y.sum().backward()
