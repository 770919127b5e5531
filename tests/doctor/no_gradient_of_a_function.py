"""A Function that gives None for an input that needs a gradient."""
import torch
from torch import nn


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(w)
        return x * w

    @staticmethod
    def backward(ctx, g):
        w, = ctx.saved_tensors
        return g * w, None


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.w = nn.Linear(4, 3), nn.Parameter(torch.ones(3))

    def forward(self, x):
        return Scale.apply(self.fc(x), self.w)


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    loss = net(torch.randn(8, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
