import torch
from torch import nn

net = nn.Linear(3, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(20, 3, requires_grad=True), torch.randint(0, 3, (20,))
for _ in range(5):
    out = net(x)
    loss = nn.functional.cross_entropy(x, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
