import torch
from torch import nn
net = nn.Linear(4, 4); opt = torch.optim.SGD(net.parameters(), 0.1)
count = start = 0
for it in range(6):
    x = torch.rand(8, 4)
    noisy = x
    noisy = noisy + 0.1 * torch.randn(8, 4)
    loss = nn.functional.mse_loss(net(noisy), x)
    opt.zero_grad(); loss.backward(); opt.step()
    last = start; last += 1; count += last + start
