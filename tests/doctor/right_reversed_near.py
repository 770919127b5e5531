import torch
import torch.nn as nn
class GRL(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, a):
        ctx.a = a
        return x.view_as(x)
    @staticmethod
    def backward(ctx, g):
        return -ctx.a * g, None
feat, cls, dom = nn.Linear(6, 8), nn.Linear(8, 2), nn.Linear(8, 2)
opt = torch.optim.SGD([*feat.parameters(), *cls.parameters(), *dom.parameters()], lr=0.05)
for i in range(10):
    xs, ys, xt = torch.randn(8, 6), torch.randint(0, 2, (8,)), torch.randn(8, 6) + 1
    fs, ft = torch.relu(feat(xs)), torch.relu(feat(xt))
    d = torch.cat([dom(GRL.apply(fs, 0.1)), dom(GRL.apply(ft, 0.1))])
    dl = torch.cat([torch.zeros(8), torch.ones(8)]).long()
    loss = nn.functional.cross_entropy(cls(fs), ys) + nn.functional.cross_entropy(d, dl)
    opt.zero_grad(); loss.backward(); opt.step()
