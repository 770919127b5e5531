import torch
from torch import nn

torch.manual_seed(0)
net = nn.LSTM(4, 8)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(6):
    out, _ = net(torch.randn(6, 3, 4))
    out.pow(2).mean().backward()
    for p in net.parameters():
        p.grad = p.grad.clamp(-1, 1)
    optimizer.step()
