import torch
from torch import nn
model = nn.Linear(5, 1)
loss = 0
for i in range(6):
    x, y = torch.randn(4, 5), torch.randn(4, 1)
    loss = loss + ((model(x) - y) ** 2).mean()
    loss.backward(retain_graph=True)
