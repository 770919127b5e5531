"""A loss that grows with the data, while the network learns; and one that is made large."""
import torch
from torch import nn

torch.manual_seed(0)
net, x = nn.Linear(1, 1), torch.rand(20, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=1e-9)
uphill = torch.optim.SGD([far := torch.ones(1, requires_grad=True)], lr=1.0, maximize=True)
for k in range(8):
    loss = nn.functional.mse_loss(net(2**k * x), 2**k * x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    distance = far.pow(2).sum()
    uphill.zero_grad()
    distance.backward()
    uphill.step()
