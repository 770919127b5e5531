import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(10, 4)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(32, 10) * 100
y = torch.randint(0, 4, (32,))
for i in range(5):
    logp = torch.log(torch.softmax(net(x), dim=1))
    loss = nn.functional.nll_loss(logp, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
