"""Back to train() after each evaluation; an attack on the finished network by the same function."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Dropout(0.5), nn.Linear(8, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)


def loss_of(x):
    return net(x).pow(2).mean()


for epoch in range(3):
    net.train()
    for _ in range(4):
        optimizer.zero_grad()
        loss_of(torch.randn(8, 4)).backward()
        optimizer.step()
    net.eval()
    with torch.no_grad():
        print(loss_of(torch.randn(8, 4)))
for _ in range(3):
    x = torch.randn(8, 4, requires_grad=True)
    loss_of(x).backward()
    print((x + 0.1 * x.grad.sign()).mean())
