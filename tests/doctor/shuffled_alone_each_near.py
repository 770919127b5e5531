"""Two sets without pairs, each in an order of its own; one order, by the same seed twice."""
import torch
from torch import nn

torch.manual_seed(0)
A, B = torch.randn(80, 5), torch.randn(80, 5) + 1
X = torch.randn(80, 5)
y = (X.sum(1) > 0).long()
net, critic = nn.Linear(5, 5), nn.Linear(5, 2)
optimizer = torch.optim.SGD([*net.parameters(), *critic.parameters()], lr=0.01)
for epoch in range(3):
    A = A[torch.randperm(80)]
    B = B[torch.randperm(80)]
    torch.manual_seed(epoch)
    X = X[torch.randperm(80)]
    torch.manual_seed(epoch)
    y = y[torch.randperm(80)]
    for i in range(0, 80, 20):
        a, b = A[i:i + 20], B[i:i + 20]
        loss = net(a).mean() - net(b).mean() + (net(a) - a).pow(2).mean()
        loss = loss + nn.functional.cross_entropy(critic(X[i:i + 20]), y[i:i + 20])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
