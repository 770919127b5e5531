import torch
import torch.nn as nn
net = nn.Linear(4, 1)
params = filter(lambda p: p.requires_grad, net.parameters())
opt = torch.optim.SGD(params, lr=0.1)
for i in range(8):
    loss = net(torch.randn(8, 4)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(params, 1.0)
    opt.step()
