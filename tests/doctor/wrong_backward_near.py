"""Functions whose backward is right, or wrong on purpose."""
import torch
from torch import nn


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x, scale)
        return scale * x**3

    @staticmethod
    def backward(ctx, grad):
        x, scale = ctx.saved_tensors
        return grad * 3 * scale * x**2, (grad * x**3).sum(0)


class Sign(torch.autograd.Function):
    """A straight-through estimator."""

    @staticmethod
    def forward(ctx, x):
        return torch.sign(x)

    @staticmethod
    def backward(ctx, grad):
        return grad


class Reversed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return -grad


class Guided(torch.autograd.Function):
    """The relu of guided backpropagation."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * (x > 0) * (grad > 0)


class Quantized(torch.autograd.Function):
    """Learned step sizes: the gradient of the step is none of forward()."""

    @staticmethod
    def forward(ctx, x, step):
        ctx.save_for_backward(x, step)
        return torch.round(x / step) * step

    @staticmethod
    def backward(ctx, grad):
        x, step = ctx.saved_tensors
        return grad, (grad * (torch.round(x / step) - x / step)).sum()


class Noise(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * torch.rand(x.shape)

    @staticmethod
    def backward(ctx, grad):
        return grad * 0.5


class Added(torch.autograd.Function):
    """Works in place."""

    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.add_(1)

    @staticmethod
    def backward(ctx, grad):
        return grad


net, scale, step = nn.Linear(4, 6), nn.Parameter(torch.rand(6)), nn.Parameter(torch.tensor(0.1))
optimizer = torch.optim.SGD([*net.parameters(), scale, step], lr=0.01)
for _ in range(6):
    h = net(torch.randn(8, 4))
    parts = [Cube.apply(h, scale), Sign.apply(h), Reversed.apply(h), Guided.apply(h),
             Quantized.apply(h, step), Noise.apply(h), Added.apply(h * 1)]
    loss = sum((part - 1).pow(2).mean() for part in parts)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
