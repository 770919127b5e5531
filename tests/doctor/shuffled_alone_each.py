import torch
from torch import nn

torch.manual_seed(0)
X = torch.randn(80, 5)
y = (X.sum(1) > 0).long()
net = nn.Linear(5, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(3):
    X = X[torch.randperm(80)]
    y = y[torch.randperm(80)]
    for i in range(0, 80, 20):
        output = net(X[i:i + 20])
        loss = nn.functional.cross_entropy(output, y[i:i + 20])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
