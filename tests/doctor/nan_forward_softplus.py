import torch
from torch import nn

torch.manual_seed(1)
net = nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(20, 3) * 1000
y = x.sum(1, keepdim=True).sign()
for _ in range(3):
    loss = torch.log(1 + torch.exp(-y * net(x))).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
