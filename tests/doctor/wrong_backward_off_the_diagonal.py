import torch
from torch import nn
class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        e = torch.exp(x - x.max(dim=1, keepdim=True).values)
        p = e / e.sum(1, keepdim=True)
        ctx.save_for_backward(p)
        return p
    @staticmethod
    def backward(ctx, g):
        (p,) = ctx.saved_tensors
        return g * p * (1 - p)
net = nn.Linear(4, 3); opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(16, 4), torch.randint(0, 3, (16,))
for it in range(8):
    p = Softmax.apply(net(x))
    loss = -torch.log(p.gather(1, y[:, None])).mean()
    opt.zero_grad(); loss.backward(); opt.step()
