import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu")
for _ in range(12):
    loss = net(torch.randn(8, 4)).pow(2).mean()
    opt.zero_grad()
    scaler.scale(loss).backward()
    opt.step()
