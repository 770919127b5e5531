import torch
from torch import nn
net = nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), 0.1)
sch = torch.optim.lr_scheduler.StepLR(opt, 5, 0.1)
opt = torch.optim.Adam(net.parameters(), 0.1)
for it in range(25):
    loss = (net(torch.randn(8, 2)) - 1).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step(); sch.step()
