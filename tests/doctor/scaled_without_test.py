"""The training set is scaled, and the test set is not."""
import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(60, 3) * torch.tensor([10.0, 2.0, 1.0]) + torch.tensor([80.0, 1.0, 0.0])
y = (x[:, 0] > 80).long()
train, test = x[:40], x[40:]
train = (train - train.mean(0)) / train.std(0)
net = nn.Linear(3, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
for _ in range(6):
    loss = nn.functional.cross_entropy(net(train), y[:40])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
net.eval()
with torch.no_grad():
    right = (net(test).argmax(1) == y[40:]).float().mean()
