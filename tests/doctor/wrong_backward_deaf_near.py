"""A straight-through sign, and a loss that computes its own gradient: a 1 comes in."""
import torch
from torch import nn


class Sign(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sign()

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        grad_input = grad_output.clone()
        grad_input[x.abs() > 1] = 0
        return grad_input


class Steps(torch.autograd.Function):
    @staticmethod
    def forward(ctx, scores, target):
        ctx.save_for_backward((scores.softmax(1) - target) / len(scores))
        return (scores.argmax(1) != target.argmax(1)).float().mean()

    @staticmethod
    def backward(ctx, grad_output):
        return ctx.saved_tensors[0], None


first, last = nn.Linear(4, 16), nn.Linear(16, 3)
optimizer = torch.optim.Adam([*first.parameters(), *last.parameters()])
for _ in range(5):
    x = torch.randn(16, 4)
    target = nn.functional.one_hot(x[:, :3].argmax(1), 3).float()
    loss = Steps.apply(last(Sign.apply(first(x))), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
