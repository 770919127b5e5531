import torch
from torch import nn

net = nn.Linear(6, 10)
optimizer = torch.optim.Adam(net.parameters())
x, labels = torch.randn(10, 6), torch.arange(10) % 5
for _ in range(3):
    loss = nn.functional.cross_entropy(net(x), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
with torch.no_grad():
    output = net(x)
    _, predicted = torch.max(output.data, 0)
    print((predicted == labels).float().mean())
    print(nn.functional.softmax(output, 0)[:, 1])
