import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
net = nn.Linear(6, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)


def attack(images, y):
    noisy = images
    for _ in range(3):
        noisy.requires_grad_(True)
        (g,) = torch.autograd.grad(F.cross_entropy(net(noisy), y), noisy)
        noisy = noisy.detach()
        noisy += 0.02 * g.sign()
        noisy = (images + (noisy - images).clamp(-0.1, 0.1)).detach()
    return noisy


for _ in range(4):
    x, y = torch.randn(16, 6), torch.randint(3, (16,))
    loss = F.cross_entropy(net(attack(x, y)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
