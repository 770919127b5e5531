import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
net = nn.Linear(6, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)


def attack(x, y):
    noisy = x.detach()
    for _ in range(3):
        noisy.requires_grad = True
        (g,) = torch.autograd.grad(F.cross_entropy(net(noisy), y), noisy)
        with torch.no_grad():
            noisy += 0.02 * g.sign()
            noisy = torch.max(torch.min(noisy, x + 0.1), x - 0.1)
    return noisy


for _ in range(4):
    x, y = torch.randn(16, 6), torch.randint(3, (16,))
    loss = F.cross_entropy(net(attack(x, y)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
