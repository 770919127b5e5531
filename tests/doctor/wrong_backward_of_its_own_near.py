import torch
class LogSumExp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        m = x.max(dim=1, keepdim=True).values
        e = (x - m).exp()
        s = e.sum(1, keepdim=True)
        ctx.save_for_backward(e / s)
        return (s.log() + m).squeeze(1)
    @staticmethod
    def backward(ctx, g):
        p, = ctx.saved_tensors
        return p * g.unsqueeze(1)
class ReLU6(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(0, 6)
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        g = g.clone()
        g[(x < 0) | (x > 6)] = 0
        return g
class TopK(torch.autograd.Function):
    @staticmethod
    def forward(ctx, s, k):
        out = torch.zeros_like(s); out.scatter_(1, s.topk(k, 1).indices, 1.0)
        return out
    @staticmethod
    def backward(ctx, g):
        return g, None
class ClampSTE(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clamp(-1, 1)
    @staticmethod
    def backward(ctx, g):
        return g
net = torch.nn.Linear(4, 6)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(6):
    h = net(torch.randn(16, 4)) * 3
    loss = LogSumExp.apply(h).mean() + ReLU6.apply(h).pow(2).mean() + (TopK.apply(h, 2) * h).mean() + ClampSTE.apply(h).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
