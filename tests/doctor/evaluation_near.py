"""An evaluation without recording; and one in eval() mode that is gone back through, for x.grad."""
import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.1), nn.Linear(8, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(3):
    loss = net(torch.randn(8, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
net.eval()
with torch.no_grad():
    out = net(torch.randn(8, 4))
x = torch.randn(8, 4, requires_grad=True)
net(x).sum().backward()
print(x.grad.abs().max() > 0)
