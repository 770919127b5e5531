import torch, copy
import torch.nn as nn
net = nn.Linear(4, 2)
ema = copy.deepcopy(net)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(10):
    loss = (net(torch.randn(8, 4)) - 1).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    for p, q in zip(ema.parameters(), net.parameters()):
        p = 0.99 * p + 0.01 * q
