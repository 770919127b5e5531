import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
x, y = torch.randn(8, 4), torch.randn(8, 1)
for _ in range(5):
    loss = nn.functional.mse_loss(net(x), y).item() + 0.1 * net.weight.pow(2).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
