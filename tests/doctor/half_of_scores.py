import torch
from torch import nn

net, loss_of = nn.Linear(6, 1), nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(net.parameters())
x, y = torch.randn(20, 6) * 5, torch.arange(20) % 2.0
for _ in range(3):
    loss = loss_of(net(x).squeeze(1), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
with torch.no_grad():
    output = net(x).squeeze(1)
    predicted = (output > 0.5).float()
    print((predicted == y).float().mean())
    print((torch.round(output) == y).float().mean())
