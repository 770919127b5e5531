import torch
import torch.nn as nn
net = nn.Linear(4, 1)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
sched = torch.optim.lr_scheduler.StepLR(opt, step_size=1, gamma=0.1)
for epoch in range(3):
    for b in range(20):
        loss = (net(torch.randn(8, 4)) - 1).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
