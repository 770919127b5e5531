import torch
import torch.nn as nn
net = nn.Linear(4, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(5):
    y = torch.full((4,), -100)
    loss = nn.functional.cross_entropy(net(torch.randn(4, 4)), y, ignore_index=-100)
    opt.zero_grad()
    loss.backward()
    opt.step()
