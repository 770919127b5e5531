import torch
import torch.nn as nn
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(10):
    x = torch.randn(8, 4)
    y = torch.randint(0, 2, (8, 1)).float() * 255
    loss = nn.BCEWithLogitsLoss()(net(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
