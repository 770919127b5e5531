"""Policy gradients, learning to learn, a custom Function, an adversarial example."""
import torch
from torch import nn
from torch.func import functional_call

torch.manual_seed(0)
pi = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 2))
opt = torch.optim.Adam(pi.parameters())
for ep in range(6):
    lps, rs = [], []
    for t in range(5):
        lp = torch.log_softmax(pi(torch.randn(3)), -1)
        a = torch.multinomial(lp.exp(), 1)
        lps.append(lp[a])
        rs.append(1.0)
    loss = -(torch.cat(lps) * torch.tensor(rs)).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
net = nn.Linear(2, 1)
meta = torch.optim.SGD(net.parameters(), lr=0.01)
for it in range(7):
    meta.zero_grad()
    total = 0
    for task in range(2):
        x = torch.randn(4, 2)
        w = dict(net.named_parameters())
        inner = functional_call(net, w, (x,)).pow(2).mean()
        g = torch.autograd.grad(inner, list(w.values()), create_graph=True)
        fast = {k: v - 0.1 * gg for (k, v), gg in zip(w.items(), g)}
        total = total + functional_call(net, fast, (x,)).pow(2).mean()
    total.backward()
    meta.step()


class Sq(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g


x = torch.randn(3, requires_grad=True)
x.register_hook(lambda g: g * 2)
Sq.apply(x).sum().backward()
conv = nn.Sequential(
    nn.Conv2d(1, 4, 3, padding=1),
    nn.BatchNorm2d(4),
    nn.ReLU(inplace=True),
    nn.MaxPool2d(2),
    nn.Flatten(),
    nn.Linear(64, 10),
)
opt = torch.optim.SGD(conv.parameters(), lr=0.1, momentum=0.9, nesterov=True)
for i in range(6):
    opt.zero_grad()
    loss = nn.functional.cross_entropy(conv(torch.randn(4, 1, 8, 8)), torch.randint(0, 10, (4,)))
    loss.backward()
    opt.step()
conv.eval()
img = torch.randn(1, 1, 8, 8, requires_grad=True)
nn.functional.cross_entropy(conv(img), torch.tensor([3])).backward()
adv = img + 0.1 * img.grad.sign()
acc = 0
with torch.inference_mode():
    acc += (conv(adv.detach()).argmax(1) == 3).sum().item()
