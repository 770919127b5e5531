"""Attacks find their gradients in eval() mode, the training that follows is in training mode."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
for _ in range(6):
    x, labels = torch.randn(16, 8), torch.randint(3, (16,))
    net.eval()
    change = torch.zeros_like(x).requires_grad_()
    loss = nn.functional.cross_entropy(net(x + change), labels)
    (g,) = torch.autograd.grad(loss, change)
    net.train()
    optimizer.zero_grad()
    nn.functional.cross_entropy(net(x + 0.1 * g.sign()), labels).backward()
    optimizer.step()
