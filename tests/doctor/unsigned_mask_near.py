import torch
from torch import nn
net = nn.Linear(4, 3); opt = torch.optim.Adam(net.parameters(), 1e-2)
for it in range(8):
    m = (torch.rand(8, 3) > 0.5).float()
    pos = net(torch.randn(8, 4)) * m
    loss = torch.relu(0.5 - pos).mean() + (1 - m * 1.0).mean()
    opt.zero_grad(); loss.backward(); opt.step()
