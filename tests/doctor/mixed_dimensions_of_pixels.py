import torch
import torch.nn as nn
net = nn.Conv2d(1, 3, 3, padding=1)
opt = torch.optim.Adam(net.parameters())
for i in range(5):
    x = torch.randn(2, 1, 6, 6); y = torch.randint(0, 3, (2, 6, 6))
    out = net(x).view(-1, 3)
    loss = nn.functional.cross_entropy(out, y.view(-1))
    opt.zero_grad(); loss.backward(); opt.step()
