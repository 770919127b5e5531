import torch
import torch.nn as nn
net = nn.Linear(4, 3)
T = nn.Parameter(torch.tensor(1.0))
opt = torch.optim.SGD(list(net.parameters()), lr=0.1)
for i in range(8):
    loss = nn.functional.cross_entropy(net(torch.randn(8, 4)) / T, torch.randint(0, 3, (8,)))
    opt.zero_grad(); loss.backward(); opt.step()
