import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(16, 3)
y = x.sum(1, keepdim=True)
net = nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for _ in range(4):
    loss = nn.functional.l1_loss(net(x).squeeze(1), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
