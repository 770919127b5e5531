import torch
import torch.nn as nn
net = nn.Linear(4, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
accum = 4
for i in range(24):
    x, y = torch.randn(8, 4), torch.randint(0, 2, (8,))
    opt.zero_grad()
    loss = nn.functional.cross_entropy(net(x), y) / accum
    loss.backward()
    if (i + 1) % accum == 0:
        opt.step()
