import torch
from torch import nn

net = nn.Linear(6, 4)
optimizer = torch.optim.Adam(net.parameters())
x, labels = torch.randn(10, 6), torch.arange(10) % 4
for _ in range(3):
    output = net(x)
    loss = nn.functional.cross_entropy(output, labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    predicted = output.argmax(dim=0)
    print((predicted == labels).sum())
