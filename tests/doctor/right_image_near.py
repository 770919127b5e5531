"""An image is optimized, not the net; steps by hand; a graph gone through twice."""
import torch
from torch import nn

torch.manual_seed(0)
feat = nn.Sequential(nn.Conv2d(1, 3, 3), nn.ReLU()).eval()
for p in feat.parameters():
    p.requires_grad_(False)
target = feat(torch.randn(1, 1, 8, 8)).detach()
img = torch.randn(1, 1, 8, 8, requires_grad=True)
opt = torch.optim.Adam([img], lr=0.05)
for i in range(8):
    opt.zero_grad()
    loss = (feat(img) - target).pow(2).mean()
    loss.backward()
    opt.step()
    with torch.no_grad():
        img.clamp_(0, 1)
x = torch.linspace(-3, 3, 50)
y = torch.sin(x)
a, b = (torch.randn((), requires_grad=True) for _ in range(2))
for t in range(20):
    loss = ((a + b * x - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        a -= 1e-2 * a.grad
        b -= 1e-2 * b.grad
        a.grad = None
        b.grad = None
w = torch.randn(3, requires_grad=True)
for t in range(7):
    l1 = (w**2).sum()
    l1.backward(retain_graph=True)
    l1.backward()
    w.data.sub_(0.1 * w.grad.data)
    w.grad.zero_()
s = torch.optim.swa_utils.AveragedModel(nn.Linear(2, 2))
emb = nn.Embedding(5, 3, sparse=False)
o = torch.optim.Adagrad(emb.parameters())
for i in range(3):
    o.zero_grad()
    emb(torch.tensor([1, 2])).sum().backward()
    o.step()
log = torch.log(torch.tensor([0.0, 1.0], requires_grad=True) + 1e-9).sum().backward()
