"""A layer that is switched on alone, as for a committee of dropouts."""
import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 16), nn.Dropout(), nn.Linear(16, 2))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(32, 4), torch.randint(2, (32,))
for _ in range(3):
    loss = nn.functional.cross_entropy(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
net.eval()
for layer in net.modules():
    if isinstance(layer, nn.Dropout):
        layer.training = True
with torch.no_grad():
    print(torch.stack([net(x).softmax(1) for _ in range(5)]).mean(0).argmax(1))
