import torch
from torch import nn
f = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 3))
x = torch.randn(3, requires_grad=True)
y = f(x)
J = torch.zeros(3, 3)
for i in range(3):
    y[i].backward(retain_graph=True)
    J[i] = x.grad
print(J)
