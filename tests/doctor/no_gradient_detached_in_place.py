import torch
import torch.nn as nn
net = nn.Linear(4, 4)
head = nn.Linear(4, 1)
opt = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)
for i in range(6):
    h = net(torch.randn(8, 4))
    h.detach_()
    loss = head(h).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
