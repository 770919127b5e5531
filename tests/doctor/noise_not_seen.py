import torch
from torch import nn

net = nn.Linear(2, 2)
optimizer = torch.optim.Adam(net.parameters())
for _ in range(4):
    x, t = torch.randn(32, 2), torch.rand(32, 1)
    noise = torch.randn_like(x)
    noisy = t * x + (1 - t) * torch.randn_like(x)
    loss = nn.functional.mse_loss(net(noisy), noise)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
