import torch
from torch import nn

net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)


def worst(x, labels):
    delta = torch.zeros_like(x, requires_grad=True)
    for _ in range(3):
        loss = nn.functional.cross_entropy(net(x + delta), labels)
        loss.backward()
        delta.data = (delta.data + 0.02 * delta.grad.sign()).clamp(-0.1, 0.1)
        delta.grad.zero_()
    return x + delta.detach()


for _ in range(4):
    x, labels = torch.randn(16, 8), torch.randint(0, 3, (16,))
    optimizer.zero_grad()
    x = worst(x, labels)
    nn.functional.cross_entropy(net(x), labels).backward()
    optimizer.step()
