import torch
import torch.nn as nn
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
loss_fn = nn.MSELoss()
prev = torch.zeros(8, 1)
for i in range(10):
    out = net(torch.randn(8, 4))
    loss = loss_fn(out, prev)
    prev = out
    opt.zero_grad()
    loss.backward()
    opt.step()
