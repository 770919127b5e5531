import torch


class Loss(torch.autograd.Function):
    """The mean of the squares, with the sum of the absolute values beside it."""

    @staticmethod
    def forward(ctx, output, target):
        ctx.save_for_backward(output, target)
        d = output - target
        return (d * d).mean(), d.abs().sum()

    @staticmethod
    def backward(ctx, grad, grad_of_sum):
        output, target = ctx.saved_tensors
        d = output - target
        if d.numel() == 0:
            return None, None
        return -grad * 2 * d / d.numel(), None


net = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(5):
    loss, _ = Loss.apply(net(torch.randn(8, 3)), torch.ones(8, 1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
