import torch
from torch import nn
from torch.optim.lr_scheduler import ExponentialLR, ReduceLROnPlateau

net = nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.001)
scheduler = ExponentialLR(optimizer, 0.9)
plateau = ReduceLROnPlateau(optimizer)
for epoch in range(10):
    loss = net(torch.randn(8, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step(loss.item())
    plateau.step(loss.item())
