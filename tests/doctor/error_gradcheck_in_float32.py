import torch


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return 3 * x**2 * g


torch.autograd.gradcheck(Cube.apply, (torch.randn(5, 4, requires_grad=True),))
