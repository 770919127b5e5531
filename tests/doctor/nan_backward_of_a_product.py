import torch
import torch.nn as nn
net = nn.Linear(4, 4)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(5):
    x = torch.randn(8, 4)
    out = torch.relu(net(x))
    ent = torch.where(out > 0, out * torch.log(out), torch.zeros_like(out))
    loss = -ent.sum(1).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
