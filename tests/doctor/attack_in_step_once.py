import torch
from torch import nn

net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)


def fgsm(x, labels):
    x = x.clone().requires_grad_()
    nn.functional.cross_entropy(net(x), labels).backward()
    return (x + 0.1 * x.grad.sign()).detach()


for _ in range(4):
    x, labels = torch.randn(16, 8), torch.randint(0, 3, (16,))
    optimizer.zero_grad()
    x = fgsm(x, labels)
    loss = nn.functional.cross_entropy(net(x), labels)
    loss.backward()
    optimizer.step()
