import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(8, 3), torch.randint(3, (8,))
scores = net(x)
loss = nn.functional.cross_entropy(x, y)
loss.backward()
optimizer.step()
