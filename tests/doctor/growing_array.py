import torch, numpy as np
from torch import nn
net = nn.Linear(3, 1); opt = torch.optim.SGD(net.parameters(), 0.1); metrics = np.empty(20, dtype=object)
for it in range(12):
    x, y = torch.randn(8, 3), torch.randn(8, 1)
    loss = (net(x) - y).pow(2).mean(); opt.zero_grad(); loss.backward(); opt.step()
    metrics[it] = 1 - loss / y.var()
