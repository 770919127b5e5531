import torch
from torch import nn
net = nn.Linear(4, 1); opt = torch.optim.SGD(net.parameters(), 0.1)
loader = ((torch.randn(8, 4), torch.randn(8, 1)) for _ in range(5))
for epoch in range(4):
    total = 0
    for x, y in loader:
        loss = nn.functional.mse_loss(net(x), y)
        opt.zero_grad(); loss.backward(); opt.step(); total += loss.item()
    print(epoch, total)
