import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 2)
for _ in range(8):
    optimizer = torch.optim.Adam(net.parameters())
    loss = nn.functional.cross_entropy(net(torch.randn(8, 4)), torch.randint(2, (8,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
