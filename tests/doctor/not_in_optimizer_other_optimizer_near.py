import torch
from torch import nn
net = nn.Linear(4, 2); w = torch.zeros(2, requires_grad=True)
opt, ow = torch.optim.Adam(net.parameters(), 1e-2), torch.optim.SGD([w], 0.1)
for it in range(12):
    e = (net(torch.randn(8, 4)) - 1).pow(2).mean(0)
    loss = (torch.softmax(w, 0) * e).sum()
    opt.zero_grad(); loss.backward(); opt.step()
    if it % 3 == 2: ow.step(); ow.zero_grad()
