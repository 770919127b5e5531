import torch
from torch import nn

x = torch.randn(500, 4)
y, batch_size = x.sum(1, keepdim=True), 50
net = nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), 0.01)
for epoch in range(3):
    for i in range(len(x) // batch_size):
        rows, wanted = x[i:i + batch_size], y[i:i + batch_size]
        loss = nn.functional.mse_loss(net(rows), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
