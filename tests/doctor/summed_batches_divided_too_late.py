import torch
from torch import nn

net, steps = nn.Linear(4, 1), 4
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for i in range(24):
    x = torch.randn(8, 4)
    loss = nn.functional.mse_loss(net(x), x[:, :1])
    loss.backward()
    loss = loss / steps
    if (i + 1) % steps == 0:
        optimizer.step()
        optimizer.zero_grad()
        print(loss.item())
