import torch
import torch.nn as nn
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(6):
    loss = net(torch.randn(8, 4)).pow(2).mean()
    l2 = 0
    for p in net.parameters():
        l2 = l2 + p.data.pow(2).sum()
    loss = loss + 0.1 * l2
    opt.zero_grad(); loss.backward(); opt.step()
