import torch
import torch.nn as nn
net = nn.Linear(8, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(10):
    x = torch.randn(4, 5, 8)          # N, T, F
    y = torch.randint(0, 3, (4, 5))
    out = net(x).view(4, 3, 5)
    loss = nn.functional.cross_entropy(out, y)
    opt.zero_grad(); loss.backward(); opt.step()
