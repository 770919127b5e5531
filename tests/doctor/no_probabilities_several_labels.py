import torch
from torch import nn
net = nn.Linear(5, 4); opt = torch.optim.Adam(net.parameters(), 1e-2)
for it in range(6):
    y = (torch.rand(16, 4) > 0.5).float()
    loss = nn.CrossEntropyLoss()(net(torch.randn(16, 5)), y)
    opt.zero_grad(); loss.backward(); opt.step()
