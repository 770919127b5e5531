import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(8):
    loss = (net(torch.randn(6, 4)) - 3).pow(2).mean()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 0.1)
    optimizer.step()
