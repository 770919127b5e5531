"""A result that keeps its gradient, and a leaf that has none yet."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 4)
image = torch.rand(1, 4, dtype=torch.float64).to(torch.float32).requires_grad_()
print(image.grad)
hidden = net(image)
hidden.retain_grad()
print(hidden.grad)
hidden.pow(2).sum().backward()
print(hidden.grad, image.grad)
