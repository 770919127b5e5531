import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
net = nn.Linear(4, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(8, 4), torch.randint(3, (8,))
for _ in range(8):
    log_p = F.log_softmax(net(x), dim=1)
    loss = log_p[torch.arange(8), y].mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
