import torch
from torch import nn
class Gumbel(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits):
        y = torch.softmax(logits - torch.log(-torch.log(torch.rand_like(logits))), 1)
        ctx.save_for_backward(y)
        return torch.zeros_like(y).scatter(1, y.argmax(1, keepdim=True), 1.0)
    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return y * (g - (g * y).sum(1, keepdim=True))
a, b = nn.Linear(4, 3), nn.Linear(3, 1); opt = torch.optim.Adam([*a.parameters(), *b.parameters()], 1e-2)
for it in range(6):
    loss = (b(Gumbel.apply(a(torch.randn(8, 4)))) - 1).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
