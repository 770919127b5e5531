import torch
import torch.nn as nn
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
scaler = torch.amp.GradScaler('cpu')
for i in range(6):
    with torch.autocast('cpu', dtype=torch.bfloat16):
        loss = (net(torch.randn(8, 4)) - 1).pow(2).mean()
    opt.zero_grad()
    scaler.scale(loss).backward()
    opt.step()
    scaler.update()
