import torch
from torch import nn

net = nn.Linear(4, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
labels = torch.zeros(8, dtype=torch.long)
for step in range(3):
    loss = nn.functional.cross_entropy(net(torch.randn(8, 4)), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
right = 0
for batch in range(3):
    right += (net(torch.randn(8, 4)).argmax(1) == labels).sum().item()
