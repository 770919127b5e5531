import torch
from torch import nn
net = nn.Linear(3, 2); opt = torch.optim.Adam(net.parameters(), 1e-2)
for it in range(6):
    mu, var = net(torch.randn(16, 3)).chunk(2, 1)
    loss = (torch.log(var) + (torch.randn(16, 1) - mu) ** 2 / var).mean()
    opt.zero_grad(); loss.backward(); opt.step()
