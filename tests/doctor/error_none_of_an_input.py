import torch
import torch.nn as nn
net = nn.Linear(4, 1)
x = torch.randn(8, 4)
loss = net(x).pow(2).mean()
loss.backward()
x_adv = x + 0.1 * x.grad.sign()
