"""A Function that keeps in its class what all calls have in common, and one that is called once."""
import torch
from torch import nn


class Scale(torch.autograd.Function):
    factor = 2.0

    @staticmethod
    def forward(ctx, x):
        return Scale.factor * x

    @staticmethod
    def backward(ctx, grad):
        return Scale.factor * grad


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        Square.x = x
        return x * x

    @staticmethod
    def backward(ctx, grad):
        return 2 * Square.x * grad


torch.manual_seed(0)
net = nn.Linear(4, 4)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for _ in range(4):
    loss = Square.apply(Scale.apply(Scale.apply(net(torch.randn(8, 4))))).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
