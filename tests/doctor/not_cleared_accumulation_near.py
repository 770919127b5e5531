import torch
from torch import nn
model = nn.Linear(5, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
opt.zero_grad()
for i in range(16):
    x, y = torch.randn(4, 5), torch.randn(4, 1)
    loss = ((model(x) - y) ** 2).mean() / 4
    loss.backward()
    if (i + 1) % 4 == 0:
        opt.step()
        opt.zero_grad()
