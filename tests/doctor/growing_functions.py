import torch
from torch import nn
net = nn.Linear(8, 1); opt = torch.optim.SGD(net.parameters(), 0.1)
callbacks = []
for it in range(12):
    loss = net(torch.randn(16, 8)).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    callbacks.append(lambda l=loss: print(l.item()))
