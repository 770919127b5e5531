import torch
import torch.nn as nn
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(10):
    loss = nn.CrossEntropyLoss()(net(torch.randn(8, 4)), torch.zeros(8, dtype=torch.long))
    opt.zero_grad(); loss.backward(); opt.step()
