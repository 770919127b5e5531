"""A parameter of no network, for which a Function's backward() returns None."""
import torch
from torch import nn


class Swish(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, beta):
        ctx.save_for_backward(x, beta)
        return x * torch.sigmoid(beta * x)

    @staticmethod
    def backward(ctx, grad):
        x, beta = ctx.saved_tensors
        s = torch.sigmoid(beta * x)
        return grad * (s + beta * x * s * (1 - s)), None


torch.manual_seed(0)
beta, net = nn.Parameter(torch.tensor(1.0)), nn.Linear(4, 4)
optimizer = torch.optim.SGD([beta, *net.parameters()], lr=0.1)
for _ in range(3):
    loss = Swish.apply(net(torch.randn(8, 4)), beta).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
