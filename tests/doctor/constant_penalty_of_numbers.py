import torch
import torch.nn as nn
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(6):
    loss = net(torch.randn(8, 4)).pow(2).mean()
    reg = sum(p.abs().sum().item() for p in net.parameters())
    loss = loss + 1e-3 * reg
    opt.zero_grad(); loss.backward(); opt.step()
