import torch
from torch import nn
X = torch.randn(32, 3, requires_grad=True); Y = torch.randn(32, 1)
net = nn.Linear(3, 1); opt = torch.optim.SGD(net.parameters(), 0.1)
for it in range(12):
    loss = (net(X) - Y).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
