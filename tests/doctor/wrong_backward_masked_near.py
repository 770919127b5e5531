import torch
from torch import nn
class ScaleGrad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, k): ctx.k = k; return x.view_as(x)
    @staticmethod
    def backward(ctx, g): return g * ctx.k, None
class MaskedMean(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, m):
        ctx.save_for_backward(m); return (x * m).sum() / m.sum()
    @staticmethod
    def backward(ctx, g):
        (m,) = ctx.saved_tensors; return g * m / m.sum(), None
net = nn.Linear(4, 3); opt = torch.optim.Adam(net.parameters(), 1e-2)
for it in range(6):
    m = (torch.rand(8, 3) > 0.3).float()
    loss = MaskedMean.apply((ScaleGrad.apply(net(torch.randn(8, 4)), 0.1) - 1) ** 2, m)
    opt.zero_grad(); loss.backward(); opt.step()
