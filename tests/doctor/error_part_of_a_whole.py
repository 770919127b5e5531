import torch
from torch import nn
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
X, Y = torch.randn(20, 4), torch.randn(20, 1)
out = torch.empty_like(Y)
for i in range(20):
    opt.zero_grad()
    out[i] = net(X[i])
    loss = (out[i] - Y[i]).pow(2).sum()
    loss.backward()
    opt.step()
