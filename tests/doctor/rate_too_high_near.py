"""Long steps towards far targets, which the loss shows to be right; SGD, whose rate is no length."""
import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(64, 3)
prices = 1000 * x.sum(1, keepdim=True) + 5000
net = nn.Linear(3, 1)
optimizer = torch.optim.Adam(net.parameters(), lr=10)
for _ in range(30):
    loss = nn.functional.mse_loss(net(x), prices)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

classes = nn.Linear(3, 2)
optimizer = torch.optim.SGD(classes.parameters(), lr=10)
for _ in range(10):
    loss = nn.functional.cross_entropy(classes(x), (x[:, 0] > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
