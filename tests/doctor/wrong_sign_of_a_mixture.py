import torch
from torch import nn
from torch.distributions import Normal

torch.manual_seed(0)
x = torch.randn(32, 3)
y = x.sum(1, keepdim=True)
net = nn.Linear(3, 9)
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
for _ in range(8):
    share, mean, log_std = net(x).chunk(3, dim=1)
    parts = Normal(mean, log_std.exp()).log_prob(y) + share.log_softmax(1)
    loss = torch.logsumexp(parts, dim=1).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
