import torch
from torch import nn


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        Square.x = x
        return x * x

    @staticmethod
    def backward(ctx, grad):
        return 2 * Square.x * grad


torch.manual_seed(0)
first, second = nn.Linear(4, 4), nn.Linear(4, 4)
optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.01)
for _ in range(4):
    x = torch.randn(8, 4)
    loss = Square.apply(first(x)).mean() + Square.apply(second(x)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
