"""A copy first, a parameter that is changed by way of detach(), and a view that is written to."""
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
net = nn.Linear(6, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
shift = torch.zeros(6, requires_grad=True)


def attack(x, y):
    noisy = x.detach().clone()
    for _ in range(3):
        noisy.requires_grad = True
        (g,) = torch.autograd.grad(F.cross_entropy(net(noisy), y), noisy)
        with torch.no_grad():
            noisy += 0.02 * g.sign()
            noisy = torch.max(torch.min(noisy, x + 0.1), x - 0.1)
    return noisy.detach()


for _ in range(4):
    x, y = torch.randn(16, 6), torch.randint(3, (16,))
    flat = x.view(-1)
    flat += 0.1
    loss = F.cross_entropy(net(attack(x, y) + shift), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    numbers = shift.detach()
    numbers -= 0.1 * shift.grad
    shift.grad = None
    print(shift.sum())
