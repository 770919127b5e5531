import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(6, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.05)
smooth = None
for it in range(20):
    x = torch.randn(16, 6)
    loss = (net(x) - x.mean(1, keepdim=True)).abs().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    smooth = loss if smooth is None else 0.9 * smooth + 0.1 * loss
print(float(smooth))
