import torch
from torch import nn

net = nn.Linear(4, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(8):
    x, labels = torch.randn(16, 4), torch.randint(0, 3, (16,))
    scores = net(x)
    loss = -scores[torch.arange(16), labels].mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
