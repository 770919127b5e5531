import torch
from torch import nn
from torch.distributions import Normal

torch.manual_seed(0)
x = torch.randn(32, 3)
y = x.sum(1)
net = nn.Linear(3, 2)
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
for _ in range(8):
    mean, log_std = net(x).unbind(1)
    loss = Normal(mean, log_std.exp()).log_prob(y).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
