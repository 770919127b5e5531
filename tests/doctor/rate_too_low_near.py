"""A small rate beside large gradients; a training that has arrived where it was to go."""
import torch
from torch import nn

torch.manual_seed(0)
income = 30000 + 5000 * torch.randn(100, 1)
net = nn.Linear(1, 1, bias=False)
optimizer = torch.optim.SGD(net.parameters(), lr=1e-11)
for _ in range(30):
    loss = nn.functional.mse_loss(net(income), 2 * income)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

x = torch.randn(50, 3)
done = nn.Linear(3, 1)
y = done(x).detach() + 1e-6
optimizer = torch.optim.SGD(done.parameters(), lr=0.01)
for _ in range(30):
    loss = nn.functional.mse_loss(done(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
