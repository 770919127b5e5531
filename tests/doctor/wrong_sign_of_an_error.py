import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
x, y = torch.randn(32, 4), torch.randint(3, (32,))
net = nn.Linear(4, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for _ in range(8):
    scores = net(x)
    error = F.cross_entropy(scores, y)
    loss = -error
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
