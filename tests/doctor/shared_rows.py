import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(100, 5)
y = (x[:, 0] > 0).long()
n = 80
net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for epoch in range(3):
    for i in range(0, n, 20):
        loss = nn.functional.cross_entropy(net(x[i:i + 20]), y[i:i + 20])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        output = net(x[50:])
        accuracy = (output.argmax(1) == y[50:]).float().mean()
